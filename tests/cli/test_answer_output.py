import json

import pytest

from fleettui.cli.answer_output import print_answer
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import DerivedDemand, Question, Slo

NONE = Answer(verdict="infeasible", demand=DerivedDemand(rate=1.0, arithmetic="1 request/s"), answer=None)
QUESTION = Question(workload="x", slo=Slo(ttft=0.5))


def test_an_answer_without_a_fleet_prints_both_ways_and_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_answer(NONE, QUESTION, as_json=False, command="plan") == 3
    assert "INFEASIBLE" in capsys.readouterr().out
    assert print_answer(NONE, QUESTION, as_json=True, command="show") == 3
    assert json.loads(capsys.readouterr().out)["answer"] is None
