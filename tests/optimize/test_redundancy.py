import itertools
import math
from dataclasses import replace
from itertools import pairwise

import pytest

from fleettui.domain.anchor import Anchor, SeenPool
from fleettui.domain.failures import Rack
from fleettui.domain.redundancy import PoolRedundancy, Redundancy, SeenServing, Serving
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.redundancy import redundancy
from tests.optimize.test_fleet_shape import LENGTHS, found, sizes

RATE = 60.0


def known(
    anchors: tuple[Anchor, ...] = (), seen: tuple[SeenServing, ...] = (), *, spares: int = 8, **asked: object
) -> Redundancy | None:
    base, fleet, profiles = found(RATE)
    wanted = replace(base, **asked)  # type: ignore[arg-type]
    shape = Shape.of(fleet, wanted, profiles, [(1.0, LENGTHS)], anchors=anchors)
    return redundancy(shape, sizes(fleet), [spares] * len(fleet.pools), RATE, seen)


def pool(**asked: object) -> PoolRedundancy:
    seen = known(availability=0.97, availability_of="node", **asked)  # type: ignore[arg-type]
    assert seen is not None
    return seen.pools[0]


def test_more_spares_cost_more_are_up_longer_and_answer_sooner() -> None:
    rows = pool().choices
    assert [one.spares for one in rows] == [0, 4, 8, 12]  # whole nodes of four replicas on two GPUs each
    for fewer, more in pairwise(rows):
        assert more.gpus == fewer.gpus + 8
        assert more.cost > fewer.cost
        assert more.up > fewer.up
        assert more.all_up.ttft is not None
        assert fewer.all_up.ttft is not None
        assert more.all_up.ttft <= fewer.all_up.ttft


def test_one_node_down_is_the_pool_with_a_node_less() -> None:
    rows = pool().choices
    assert all(more.one_down == fewer.all_up for fewer, more in pairwise(rows))
    assert rows[0].all_up.holds
    assert not rows[0].one_down.holds
    assert rows[0].one_down == Serving(ttft=None, holds=False, serves=False), "its only node is down"
    assert rows[1].one_down.holds


def test_the_spread_that_takes_fewest_gpus_is_told_by_the_binomial_form() -> None:
    """Replicas on two GPUs: four fill a node. Fewer on each take fewer spares, as every node is up by itself."""
    base = pool()
    spread, needed = base.spread, base.replicas
    assert spread is not None
    held = needed + spread.standing.spares
    assert (spread.nodes, spread.standing.gpus) == (math.ceil(held / spread.per_node), 2 * held)
    assert spread.standing.cost == pytest.approx(held * base.chosen.cost / (needed + 8)), "8 are held in any case"
    assert spread.standing.up == pytest.approx(by_hand(needed, held, spread.per_node, 0.97))
    fewest = min(count for count in range(needed, needed + 8) if by_hand(needed, count, 1, 0.97) >= 0.99)
    assert held == fewest, "one on each node takes the fewest of all"
    assert by_hand(needed, held, spread.per_node + 1, 0.97) < 0.99, "with more on each these are too few"


@pytest.mark.parametrize(("place", "told"), [(0, None), (1, (3, 16))], ids=["on the fewest as it is", "on more"])
def test_a_pool_that_does_not_fill_nodes_is_told_what_it_takes_on_the_fewest(
    place: int, told: tuple[int, int] | None
) -> None:
    """Found: 3+8 on 2 nodes, 11 GPUs, for 3 on each of 2 nodes, 6, as nodes were filled beyond what is needed."""
    filled = known(availability=0.97, availability_of="node")
    assert filled is not None
    spread = filled.pools[place].spread
    assert spread is not None
    apart = known(availability=0.97, availability_of="node", spares=spread.standing.spares)
    assert apart is not None
    own, ways = apart.pools[place], []
    for per_node in range(1, 5):
        enough = (held for held in range(own.replicas, 20) if by_hand(own.replicas, held, per_node, 0.97) >= 0.99)
        held = next(enough)
        ways.append((math.ceil(held / per_node), 2 * held))
    assert min(ways) == (told or (own.replicas + spread.standing.spares, own.chosen.gpus))
    assert min(ways) < ways[-1], "filled nodes take more"
    assert told == (None if own.spread is None else (own.spread.nodes, own.spread.standing.gpus))


def test_no_spread_is_told_that_saves_nothing() -> None:
    assert pool(whole_nodes=True).spread is None
    of_gpus = known(availability=0.97, availability_of="gpu")
    assert of_gpus is not None
    assert [one.spread for one in of_gpus.pools] == [None, None], "each fails by itself as it is"
    survived = pool(survive=8).spread
    assert survived is None, "as many are to be survived"


def by_hand(needed: int, held: int, per_node: int, up: float) -> float:
    """Return the share of time that `needed` of `held` replicas are up, so many on each node: every case counted."""
    nodes = [min(per_node, held - at) for at in range(0, held, per_node)]
    total = 0.0
    for case in itertools.product((True, False), repeat=len(nodes)):
        if sum(size for size, is_up in zip(nodes, case, strict=True) if is_up) >= needed:
            total += math.prod(up if is_up else 1.0 - up for is_up in case)
    return total


def test_a_rack_down_is_the_pool_without_its_nodes() -> None:
    assert all(one.rack_down is None for one in pool().choices)
    rows = pool(rack=Rack(nodes=2, up=0.999)).choices
    assert all(far.rack_down == near.all_up for near, far in zip(rows, rows[2:], strict=False))
    assert all(one.up < plain.up for one, plain in zip(rows, pool().choices, strict=True))


def test_what_was_simulated_is_not_contradicted() -> None:
    base = pool()
    ratios, size = (("ttft", 1.5),), base.replicas
    failed = SeenPool(utilization=0.5, ratios=ratios, replicas=size + 4, rate=RATE, passed=False)
    passed = replace(failed, replicas=size, passed=True)
    for seen, holds in ((failed, False), (passed, True)):
        anchored = pool(anchors=(Anchor(seen=(seen,)), Anchor()))
        assert anchored.choices[0].all_up.holds == holds
        assert anchored.choices[0].all_up.ttft != base.choices[0].all_up.ttft


def test_sizes_that_were_simulated_are_as_seen() -> None:
    base, as_seen = pool(), Serving(ttft=0.123, holds=True, simulated=True)
    fleet = SeenServing(replicas=(base.replicas + 4,) * 2, pools=(as_seen,) * 2)
    rows = pool(seen=(fleet,)).choices
    assert rows[1].all_up == as_seen, "with four spares, which serve too"
    assert rows[2].one_down == as_seen, "with eight, of which a node of four is down"
    assert (rows[0], rows[3]) == (base.choices[0], base.choices[3])


def test_the_fleet_is_whole_while_every_pool_is() -> None:
    seen = known(availability=0.97, availability_of="node")
    assert seen is not None
    assert (seen.of, seen.up, seen.target) == ("node", 0.97, 0.99)
    shares = [one.chosen.up for one in seen.pools]
    assert seen.all_needed_up == pytest.approx(shares[0] * shares[1])
    assert known() is None
