"""What a plan says of a setting that it was left to search for."""

from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.reports.searched_settings_text import ROUTER, Told, beside_others


def test_a_router_by_length_is_told_by_what_it_does_where_the_fleet_has_one_pool(best: Candidate) -> None:
    """Seen: `length` was the answer to `--router auto` for a plan of one pool, which has no lengths to choose by."""
    one = replace(best, fleet=replace(best.fleet, pools=best.fleet.pools[:1]))
    assert beside_others(ROUTER, "length", one, ()).startswith(
        "--router auto: length (in one pool: fewest requests) takes "
    )
    for option, fleet in ((ROUTER, best), ("--admission", one)):
        assert beside_others(option, "length", fleet, ()).startswith(f"{option} auto: length takes ")


def test_what_would_take_less_and_was_not_simulated_is_told_with_what_tells(best: Candidate) -> None:
    less, more = (replace(best, cost_per_hour=best.cost_per_hour * by) for by in (0.5, 2.0))
    told = [
        Told(name=name, fleet=fleet, simulated=simulated)
        for name, fleet, simulated in (("random", less, False), ("kv-use", less, True), ("round-robin", more, False))
    ]
    least, known, most = beside_others(ROUTER, "length", best, told).partition("would need: ")[2].split("; ")
    assert least.startswith("kv-use")
    assert not least.endswith("by formula")
    assert known.endswith(", by formula (--router random tells)")
    assert most.endswith("/h, by formula")
