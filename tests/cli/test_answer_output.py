import json
from pathlib import Path

import pytest

from fleettui.cli.answer_output import print_answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from store import Store
from tests.store import samples

QUESTION = Question(workload="x", slo=Slo(ttft=0.5))


def test_an_answer_without_a_fleet_prints_both_ways_and_is_3(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as store:
        kept = samples.add(store, samples.infeasible())
        assert print_answer(kept, QUESTION, store, as_json=False, command="plan") == 3
        assert "INFEASIBLE" in capsys.readouterr().out
        assert print_answer(kept, QUESTION, store, as_json=True, command="show") == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["answer"], told["inputs"]["formula"], told["inputs"]["given"]) == (None, None, False)
