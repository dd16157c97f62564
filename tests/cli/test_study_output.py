import json
from dataclasses import replace

import pytest

from fleettui.cli.study_output import print_study
from fleettui.domain.plan import Verdict
from fleettui.reports.study_text import study_text
from tests.store.samples import study


@pytest.mark.parametrize(("verdict", "code"), [("pass", 0), ("fail", 3), ("unproven", 3), ("infeasible", 3)])
def test_a_verdict_is_the_exit_code(verdict: Verdict, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    for as_json in (False, True):
        assert print_study(replace(study(), verdict=verdict), as_json=as_json, command="show") == code
    assert (
        json.loads(capsys.readouterr().out.split("\n", study_text(study()).count("\n") + 1)[-1])["verdict"] == verdict
    )


def test_a_study_prints_both_ways_and_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_study(study(), as_json=False, command="whatif") == 0
    assert capsys.readouterr().out == study_text(study()) + "\n"
    assert print_study(study(), as_json=True, command="whatif") == 0
    plain = json.loads(capsys.readouterr().out)
    assert "verdict" not in plain
    assert (plain["schema"], plain["command"], plain["study"]["kind"]) == (1, "whatif", "steps")
