import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_more_proof_is_asked_for_and_printed(run: Run, planned: list[dict[str, Any]]) -> None:
    code, out, err = run("verify", "41a7", "--precision", "2%", "--seed", "7", "--workers", "1")
    assert (code, err) == (0, "")
    assert "proof   10 runs" in out
    assert json.loads(run("verify", "last", "--json")[1])["command"] == "verify"
    first, second = planned
    assert (first["given"][1], first["precision"], first["seed"]) == ("41a7", 0.02, 7)
    assert (second["given"][1], second["precision"], second["seed"]) == ("last", None, None)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--precision", "2"), "--precision: share is above 1"),
        (("--precision", "100%"), "--precision: the share must be below 1"),
        (("--seed", "-1"), "--seed: this is no seed"),
        (("--workers", "99"), "--workers"),
        (("--rate", "1/s"), "no such option: --rate"),
    ],
)
def test_bad_options_are_refused(
    options: tuple[str, ...], what: str, run: Run, refused: Callable[..., str], planned: list[dict[str, Any]]
) -> None:
    assert what in refused(run("verify", "41a7", *options))
    assert planned == []


def test_what_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "missing argument 'ID'" in refused(run("verify"))
    assert "nosuch" in refused(run("verify", "nosuch"))


def test_a_plan_by_formula_is_proven_later(run: Run) -> None:
    options = ("--rate", "5/s", "--model", "llama-3.1-8b", "--gpu", "h100", "--tp", "1", "--pools", "1")
    run("plan", "azure-2023-conv", *options, "--slo-ttft", "2s", "--no-verify", "--name", "small")
    code, out, err = run("verify", "small", "--precision", "50%")
    assert (code, err) == (0, "")
    assert "formula only" not in out
    assert "simulated" in out
