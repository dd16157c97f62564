"""What of the asked requests is served."""

from dataclasses import replace

from fleettui.domain.unit_served import served_share
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
