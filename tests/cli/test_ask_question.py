import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli import ask_question
from fleettui.domain.scenario import Question
from fleettui.reports.question.conversion import Given
from fleettui.reports.question.keys import FIXED_FLEET_KEYS


def test_a_file_that_does_not_read_is_refused(
    run: Callable[..., tuple[int, str, str]], refused: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "q.yaml"
    assert "the question cannot be read: No such file" in refused(run("plan", "-f", str(file)))
    file.write_text("workload: azure-2023-conv\nslo-ttft: 500\n", "utf-8")
    assert f"{file} line 2, slo-ttft: duration needs a unit" in refused(run("plan", "-f", str(file)))
    file.write_text("workload: [a\nslo-ttft", "utf-8")
    told = refused(run("plan", "-f", str(file)))
    assert "this is no YAML" in told
    assert "do: fleettui plan --write-question shows one" in told


def test_a_pipe_is_read_once(run: Callable[..., tuple[int, str, str]], asked: list[Question]) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"workload: azure-2023-conv\nslo-ttft: 500ms\n")
    os.close(writer)
    assert run("plan", "-f", f"/dev/fd/{reader}")[0] == 0
    os.close(reader)
    assert [question.slo.ttft for question in asked] == [0.5]


def test_settings_that_the_command_does_not_ask_for_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_GPU", "h100")
    monkeypatch.setenv("FLEETTUI_PRICE", "h100=2")
    typed = {"workload": Given("x", "WORKLOAD")}
    assert ask_question.values(typed)[1] == {"workload": "x", "gpu": ("h100",), "price": (("h100", 2.0),)}
    assert ask_question.values(typed, keys=FIXED_FLEET_KEYS)[1] == {"workload": "x", "price": (("h100", 2.0),)}


def test_an_option_wins_over_the_environment_and_that_over_the_file(
    run: Callable[..., tuple[int, str, str]],
    asked: list[Question],
    settings_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings_file.write_text('model = "qwen3-32b"\ndtype = "fp8"\nslo_ttft = "500ms"\n', "utf-8")
    monkeypatch.setenv("FLEETTUI_DTYPE", "bf16")
    assert run("plan", "azure-2023-conv", "--model", "llama-3.1-8b")[0] == 0
    (question,) = asked
    assert (question.model, question.dtype, question.slo.ttft) == ("llama-3.1-8b", "bf16", 0.5)


def test_a_bad_value_names_its_source(
    run: Callable[..., tuple[int, str, str]], refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETTUI_SLO_TTFT", "500")
    assert "FLEETTUI_SLO_TTFT: duration needs a unit" in refused(run("plan", "azure-2023-conv"))
