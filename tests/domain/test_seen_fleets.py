"""What the formulas come to with the error that was seen: of a pool's own replicas, and at least that of any."""

import pytest

from fleettui.domain import limit
from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool
from fleettui.domain.seen_fleets import mildest, with_unseen, worst
from tests.store import samples

TTFT, TPOT = limit.TTFT.latency, limit.TPOT.latency


def seen(**ratios: float) -> Anchor:
    return Anchor(seen=(SeenPool(utilization=0.81, ratios=tuple(ratios.items()), replicas=3, rate=91.7),))


def test_replicas_that_were_not_seen_err_as_the_formulas_or_as_little_as_any_that_were() -> None:
    """The second pool is slowest: its TTFT is .48 s by formula, and nothing was seen of its replicas."""
    one = samples.candidate()
    short, long = (pool.replica_key for pool in one.fleet.pools)
    other = (*short[:-1], "another")
    anchors = {short: seen(ttft=2.0), other: seen(ttft=1.5)}
    assert worst(one, TTFT, anchors) == pytest.approx(2.0 * 0.41)
    assert worst(one, TTFT, {other: seen(ttft=1.5)}) == 0.48
    assert mildest(one, TTFT, {other: seen(ttft=1.5)}) == pytest.approx(1.5 * 0.48)
    assert mildest(one, TTFT, {other: seen(ttft=1.5), short: seen(ttft=2.0)}) == pytest.approx(2.0 * 0.41)
    assert mildest(one, TTFT, {**anchors, long: seen(ttft=3.0)}) == pytest.approx(3.0 * 0.48)
    assert mildest(one, TPOT, anchors) == worst(one, TPOT, {}) == 0.034, "nothing was seen of that latency"
    assert mildest(one, TTFT, {short: NOTHING_SEEN}) == 0.48


def test_anchors_of_replicas_that_were_not_seen_err_as_little_as_any_that_were() -> None:
    one = samples.candidate()
    short, long = (pool.replica_key for pool in one.fleet.pools)
    anchors = {short: seen(ttft=1.5, tpot=0.9), (*short[:-1], "another"): seen(ttft=0.8, tpot=1.1)}
    hoped = with_unseen(anchors, (short, long))
    assert hoped.keys() == {*anchors, long}
    assert hoped[short] == anchors[short], "what was seen stays"
    assert hoped[long].ratio("ttft", 0.81) == pytest.approx(0.8)
    assert hoped[long].ratio("tpot", 0.81) == pytest.approx(0.9)
    assert hoped[long].ratio("tpot", 0.2) > 0.9, "the less load the less they err"
    assert hoped[long].ratio("e2e", 0.81) == 1.0
    assert with_unseen({short: NOTHING_SEEN}, (short, long)) == {}, "nothing was seen"
