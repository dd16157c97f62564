import json

import pytest

from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.alerts import rules
from tests.reports.handoff.plans import PLANS, subject


@pytest.mark.parametrize("name", PLANS)
def test_every_rule_is_a_line_in_a_panel(name: str) -> None:
    deployed = subject(name)
    (file,) = FORMATS.named("dashboard").write(deployed)
    read = json.loads(file.text)
    drawn = {
        (panel["targets"][0]["expr"], step["value"])
        for panel in read["panels"]
        for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        if step["value"] is not None
    }
    assert drawn == {(one.query, one.above) for part in deployed.pools for one in rules(deployed, part)}
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in read["panels"]]
    assert len(set(places)) == len(places)
    assert read["title"] == "fleettui plan 9f3c"
