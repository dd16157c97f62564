"""What of the asked requests is served."""

import math
from dataclasses import replace

from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.domain.slo import Slo
from fleettui.domain.unit_cost import UnitCost
from fleettui.domain.unit_served import cost_per_million, served_share
from tests.cli.conftest import BEST, PROVEN


def test_by_formula_everything_is_served() -> None:
    assert served_share(BEST) == served_share(PROVEN) == 1.0


def test_what_is_turned_away_or_leaves_is_not_served() -> None:
    seen = PROVEN.evidence
    assert seen is not None
    pool = seen.pools[0]
    lossy = replace(pool, rejected=30, timed_out=20, offered=1000)
    lost = replace(PROVEN, evidence=replace(seen, pools=(lossy,)))
    assert served_share(lost) == 0.95


def test_tokens_cost_more_where_not_all_are_served() -> None:
    seen = PROVEN.evidence
    assert seen is not None
    lossy = replace(seen.pools[0], rejected=500, offered=1000)
    lost = replace(PROVEN, evidence=replace(seen, pools=(lossy,)))
    assert cost_per_million(BEST) == BEST.cost_per_million_output_tokens
    assert cost_per_million(lost) == 2.0 * BEST.cost_per_million_output_tokens
    none = replace(PROVEN, evidence=replace(seen, pools=(replace(lossy, rejected=1000),)))
    assert cost_per_million(none) == math.inf
    asked = Question(workload="w", slo=Slo(ttft=0.5))
    whole, half = UnitCost.of(BEST, asked), UnitCost.of(lost, asked)
    assert whole is not None
    assert half is not None
    assert half.cost_per_request == 2.0 * whole.cost_per_request
    assert (whole.served, half.served) == (1.0, 0.5)
    assert "served" not in to_plain(whole)
    assert UnitCost.of(none, asked) is None
