import json

import pytest

from fleettui.cli.studies import print_study
from fleettui.reports.study_text import study_text
from tests.store.samples import study


def test_a_study_prints_both_ways_and_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_study(study(), as_json=False, command="whatif") == 0
    assert capsys.readouterr().out == study_text(study()) + "\n"
    assert print_study(study(), as_json=True, command="whatif") == 0
    plain = json.loads(capsys.readouterr().out)
    assert (plain["schema"], plain["command"], plain["study"]["kind"]) == (1, "whatif", "steps")
