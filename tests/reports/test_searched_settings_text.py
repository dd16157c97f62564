"""What a plan says of a setting that it was left to search for."""

from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.reports.searched_settings_text import ROUTER, beside_others


def test_a_router_by_length_is_told_by_what_it_does_where_the_fleet_has_one_pool(best: Candidate) -> None:
    """Seen: `length` was the answer to `--router auto` for a plan of one pool, which has no lengths to choose by."""
    one = replace(best, fleet=replace(best.fleet, pools=best.fleet.pools[:1]))
    assert beside_others(ROUTER, "length", one, ()).startswith(
        "--router auto: length (in one pool: fewest requests) takes "
    )
    for option, fleet in ((ROUTER, best), ("--admission", one)):
        assert beside_others(option, "length", fleet, ()).startswith(f"{option} auto: length takes ")
