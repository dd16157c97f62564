import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.planning import backtest as use_case
from tests.planning.simulated import trace

Run = Callable[..., tuple[int, str, str]]
SEEN = ("--observed", "tpot.p50=40ms,running=9", "--over", "2h")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Return the paths of a fleet and a trace; one constant is enough to see that it is asked."""
    monkeypatch.setattr(use_case, "CONSTANTS", ("base step time",))
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("pools: [{gpu: h100, tp: 8, replicas: 2}]\n")
    return str(fleet), trace(tmp_path)


def test_a_fleet_is_tested_and_the_test_is_kept_with_its_plan(run: Run, files: tuple[str, str]) -> None:
    code, out, err = run("backtest", *files, "--rate", "20/s", *SEEN)
    assert (code, err) == (0, "")
    assert "P50 TPOT" in out
    assert "base step time x" in out
    found = json.loads(run("backtest", "last", *SEEN, "--json")[1])
    assert (found["command"], found["study"]["kind"]) == ("backtest", "backtest")
    assert found["study"]["question"].endswith("--observed tpot.p50=40ms,running=9 --over 2h")
    assert found["tables"][-1]["title"] == "backtests of this plan, newest first"
    assert run("list", "--studies")[1].count("backtest") >= 2


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("last",), "--observed"),
        (("last", "--observed", "speed=9"), "nothing to observe"),
        (("last", "--observed", "running=9", "--over", "9"), "--over"),
        (("nosuch.yaml", "--observed", "running=9"), "no such file"),
        (("FILE", "azure-2023-conv", "--observed", "running=9", "--rate", "20"), "--rate"),
        (("FILE", "--observed", "running=9"), "no workload"),
    ],
)
def test_what_does_not_read_is_refused(
    run: Run, refused: Callable[..., str], files: tuple[str, str], options: tuple[str, ...], what: str
) -> None:
    typed = (files[0] if one == "FILE" else one for one in options)
    assert what in refused(run("backtest", *typed))
