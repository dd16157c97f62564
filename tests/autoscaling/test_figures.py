"""Replays put together: pools of a run, means over runs, differences run by run."""

from dataclasses import replace

import pytest

from fleettui.autoscaling.figures import Reckoning
from fleettui.domain.autoscale import PoolReplay, PoolSite, Rules, Site
from fleettui.domain.day import steady
from fleettui.domain.simulation import Histogram

SITE = Site(
    slots=1.0, service_time=1.0, replica_rate=1.0, delay=0.0, least=1, most=9, rules=Rules(), day=steady(1.0, 900.0)
)
POOLS = (
    PoolSite(name="short", gpus=2, price=3.0, site=SITE, staffing=()),
    PoolSite(name="long", gpus=8, price=1.0, site=SITE, staffing=()),
)
ONE = PoolReplay(
    name="short",
    offered=300,
    rejected=3,
    lost=0,
    attempts=306,
    met=282,
    ttft=Histogram(metric="ttft", cells=((0, 297),)),
    spans=((100, 100), (100, 91), (100, 91)),
    paid=(1.0, 2.0, 3.0),
    billed=1800.0,
    ideal=900.0,
    least=600.0,
    over=900.0,
    under=0.0,
    ups=2,
    downs=1,
    flaps=1,
)
OTHER = replace(ONE, name="long", rejected=0, met=300, spans=((100, 100),) * 3, paid=(1.0,) * 3, billed=900.0, flaps=0)


def test_pools_add_up_by_their_gpus_and_prices() -> None:
    found = Reckoning(pools=POOLS, share=0.99).figures("keda", [[ONE, OTHER]], [[ONE, OTHER]])
    assert found.gpu_hours.value == pytest.approx((1800 * 2 + 900 * 8) / 3600)
    assert found.cost_per_hour.value == pytest.approx(2 * 2 * 3.0 + 1 * 8 * 1.0)
    assert (found.met.value, found.worst.value) == (582 / 600, 191 / 200)
    assert found.rejected.value == 3 / 600
    assert found.attempts.value == 612 / 600
    assert found.missed.value == 600.0
    assert (found.changes.value, found.flaps.value) == (6 * 96.0, 96.0)
    assert found.gpus == (10.0, 12.0, 14.0)
    assert found.by_pool == ((2.0, 4.0, 6.0), (8.0, 8.0, 8.0))
    assert found.met_change.value == 0.0
    assert found.least.value == pytest.approx(600.0 * (2 + 8) / 3600)
    assert found.spans == ((200, 200), (200, 191), (200, 191))
    assert len(found.choices) == 2


@pytest.mark.parametrize(("moment", "seconds"), [(10.0, 890.0), (310.0, 590.0), (700.0, 200.0)])
def test_what_an_event_spoilt_lasts_until_a_span_keeps_the_slo(moment: float, seconds: float) -> None:
    found = Reckoning(pools=POOLS[:1], share=0.99, event=moment).figures("keda", [[ONE]], [[ONE]])
    assert found.recovered.value == seconds
    well = replace(ONE, spans=((100, 100),) * 3)
    assert Reckoning(pools=POOLS[:1], share=0.99, event=moment).figures("x", [[well]], [[well]]).recovered.value == 0.0


def test_differences_are_taken_run_by_run() -> None:
    pool, better = POOLS[:1], replace(ONE, met=300, billed=900.0, spans=((100, 100),) * 3)
    runs = [[replace(ONE, met=282 + at)] for at in range(3)]
    found = Reckoning(pools=pool, share=0.99).figures(
        "keda", runs, [[replace(better, met=300 + at)] for at in range(3)]
    )
    assert (found.met_change.low, found.met_change.value) == pytest.approx((-18 / 300, -18 / 300))
    assert found.cost_change.value == pytest.approx(6.0)
    assert found.met.low is not None
    assert found.met.low < 283 / 300


def test_a_day_without_a_served_request_has_no_ttft() -> None:
    nothing = replace(
        ONE, met=0, rejected=300, ttft=Histogram(metric="ttft", cells=()), spans=((300, 0), (0, 0), (0, 0))
    )
    found = Reckoning(pools=POOLS[:1], share=0.99).figures("keda", [[nothing]], [[ONE]])
    assert (found.ttft.value, found.met.value, found.worst.value) == (None, 0.0, 0.0)
    assert found.missed.value == 300.0
