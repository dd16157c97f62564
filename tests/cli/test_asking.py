from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli import asking
from fleettui.reports.question.form import Given
from fleettui.reports.question.keys import FIXED_FLEET_KEYS


def test_a_file_that_does_not_read_is_refused(
    run: Callable[..., tuple[int, str, str]], refused: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "q.yaml"
    assert "the question cannot be read: No such file" in refused(run("plan", "-f", str(file)))
    file.write_text("workload: azure-2023-conv\nslo-ttft: 500\n", "utf-8")
    assert f"{file} line 2, slo-ttft: duration needs a unit" in refused(run("plan", "-f", str(file)))
    file.write_text("workload: [a\nslo-ttft", "utf-8")
    assert "this is no YAML" in refused(run("plan", "-f", str(file)))


def test_settings_that_the_command_does_not_ask_for_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_GPU", "h100")
    monkeypatch.setenv("FLEETTUI_PRICE", "h100=2")
    typed = {"workload": Given("x", "WORKLOAD")}
    assert asking.values(typed)[1] == {"workload": "x", "gpu": ("h100",), "price": (("h100", 2.0),)}
    assert asking.values(typed, keys=FIXED_FLEET_KEYS)[1] == {"workload": "x", "price": (("h100", 2.0),)}
