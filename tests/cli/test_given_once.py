from collections.abc import Callable

import pytest

from fleettui.domain.scenario import Question
from fleettui.reports.question.keys import KEYS

Run = Callable[..., tuple[int, str, str]]
BASE = ("plan", "azure-2023-conv", "--rate", "100/s", "--slo-ttft", "500ms", "--no-verify")


@pytest.mark.parametrize(
    ("typed", "name", "value"),
    [
        ((*BASE, "--rate", "36/s"), "--rate", "100/s, 36/s"),
        ((*BASE, "--admission=paged", "--scheduler=reserved"), "--admission", "paged, reserved"),
        (("plan", "-f", "a.yaml", "--file", "b.yaml"), "--file", "a.yaml, b.yaml"),
        (("jobs", "list", "--limit", "1", "--limit", "1", "--limit", "2"), "--limit", "1, 1, 2"),
        (("--schema", "1", "--schema", "2", "list"), "--schema", "1, 2"),
        (("routers", "last", "--slow", "50%", "--slow", "40%"), "--slow", "50%, 40%"),
    ],
)
def test_one_value_given_again_is_refused(run: Run, typed: tuple[str, ...], name: str, value: str) -> None:
    code, out, err = run(*typed)
    told = f"{name}: this takes one value, and {len(value.split(', '))} are given (got {value!r})"
    assert (code, out) == (2, "")
    assert " ".join(err.split()) == f"fleettui: {told} do: leave all but one out"


def test_lists_and_mappings_go_on_where_they_are_given_again(run: Run, asked: list[Question]) -> None:
    typed = {
        "gpu": ("h100", "l40s"),
        "price": ("h100=2.45", "l40s=0.79"),
        "max-gpus": ("h100=8", "l40s=9"),
        "limit": ("ttft.p95=400ms", "tpot.p99=45ms"),
        "pools": ("1", "2"),
        "tp": ("4", "2"),
    }
    assert run(*BASE, *(f"--{name}={value}" for name, values in typed.items() for value in values))[0] == 0
    (question,) = asked
    assert (question.gpus, question.tp, question.pools) == (("h100", "l40s"), (2, 4), (1, 2))
    assert question.prices == (("h100", 2.45), ("l40s", 0.79))
    assert question.max_gpus == (("h100", 8), ("l40s", 9))
    assert question.slo.further == (("tpot.p99", 0.045), ("ttft.p95", 0.4))


def test_every_key_that_is_a_list_may_be_given_again() -> None:
    several = {key.name for key in KEYS if key.form.several}
    assert {"gpu", "tp", "pp", "price", "max-gpus", "limit", "pools", "split", "prompt", "output"} <= several


def test_a_name_with_two_values_is_refused(run: Run) -> None:
    code, _, err = run(*BASE, "--price", "h100=2.45", "--price", "h100=2.60")
    assert code == 2
    assert err.startswith("fleettui: --price: a name stands twice (got 'h100=2.45,h100=2.60')")


def test_a_flag_may_be_said_again_but_not_against_itself(run: Run, asked: list[Question]) -> None:
    assert run(*BASE, "--no-verify")[0] == 0
    assert not asked[0].verify
    code, _, err = run(*BASE, "--verify")
    assert code == 2
    assert err == "fleettui: --verify and --no-verify are both given\n  do: leave one of them out\n"
