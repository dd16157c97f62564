"""What may be down of a fleet, and how often: the binomial form."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fleettui.domain.autoscale import Delay
from fleettui.domain.failing import NODE_DOWN
from fleettui.domain.failures import Failures, Rack
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import failures
from fleettui.planning.tasks.simulation_inputs import scene_of
from fleettui.simulation.failing import units
from tests.planning.tasks.test_autoscale import scene

NODES = Failures(per_day=0.5, of="node")
DOWN = 4 * 3600.0


def test_replicas_are_down_as_often_as_the_binomial_form_says(tmp_path: Path) -> None:
    source, planned = scene(tmp_path, 20.0, 6)
    fleet = replace(planned, pools=tuple(replace(one, spares=2) for one in planned.pools))
    asked: dict[str, Any] = {"source": source, "fleet": fleet, "failures": NODES, "down": DOWN, "spares": (2,)}
    cases = failures.cases(Context(), at_once=0.5, slow=None, **asked)
    assert [(one.name, one.down) for one in cases] == [
        ("none down", (0,)),
        ("1 down", (1,)),
        ("2 down", (2,)),
        ("3 down, 50% at once", (3,)),
    ]
    found = failures.odds(Context(), cases=cases, **asked)
    up = 1.0 / (1.0 + NODES.per_day * DOWN / 86_400.0)
    expected = [stats.binom.cdf(one.down[0], 6, 1.0 - up) for one in cases]
    assert found.no_more == pytest.approx(expected)
    assert found.all_up == pytest.approx(expected[:1])
    assert found.per_year == pytest.approx((0.5 * up * 6 * 365.0,)), "what is down does not fail"


def test_failures_a_year_are_as_many_as_come_at_random(tmp_path: Path) -> None:
    """Found: nodes that were down failed on by formula: 182.5 a year of each where 168 come."""
    source, fleet = scene(tmp_path, 20.0, 4)
    asked: dict[str, Any] = {"source": source, "fleet": fleet, "failures": NODES, "down": DOWN, "spares": (0,)}
    cases = failures.cases(Context(), at_once=None, slow=None, **asked)
    found = failures.odds(Context(), cases=cases, **asked)
    nodes = units(4, together=1, each=1, between=86_400.0 / NODES.per_day, repair=DOWN, load=0.0)
    years, chance = 50, np.random.default_rng(7)
    come = sum(len(one.down(chance, years * 365 * 86_400.0)) for one in nodes) / years
    assert found.per_year[0] == pytest.approx(come, rel=0.02)


def test_a_node_whose_replicas_fail_together_is_a_case_of_its_own(tmp_path: Path) -> None:
    source, whole = scene(tmp_path, 20.0, 6)
    planned = replace(whole, pools=tuple(replace(one, tp=4) for one in whole.pools))
    on_a_node = scene_of(source).profile_of(planned.pools[0]).gpus_per_node // 4
    assert on_a_node == 2, "replicas share a node"
    cases = failures.cases(
        Context(),
        source=source,
        fleet=planned,
        spares=(on_a_node - 1,),
        failures=NODES,
        down=DOWN,
        at_once=None,
        slow=None,
    )
    assert (NODE_DOWN, (on_a_node,)) in [(one.name, one.down) for one in cases]
    assert f"{on_a_node} down" not in [one.name for one in cases], "it is told once, as what it is"


def test_a_rack_is_a_case_by_its_name_and_fails_as_often_as_it_does(tmp_path: Path) -> None:
    """Found: a rack of two nodes stood as "4 down", and the failures a year were those of nodes alone."""
    whole, planned = scene(tmp_path, 20.0, 6)
    fleet = replace(planned, pools=tuple(replace(one, tp=4) for one in planned.pools))
    rack = Rack(nodes=2, up=0.999)
    said = replace(whole.question, rack=rack, availability=0.98, availability_of="node")
    source = replace(whole, key="in racks", question=said)
    asked: dict[str, Any] = {"source": source, "fleet": fleet, "failures": NODES, "down": DOWN, "spares": (4,)}
    cases = failures.cases(Context(), at_once=None, slow=None, **asked)
    assert [(one.name, one.down[0]) for one in cases] == [
        ("none down", 0),
        ("1 down", 1),
        (NODE_DOWN, 2),
        ("a rack down", 4),
        ("5 down", 5),
    ]
    found = failures.odds(Context(), cases=cases, **asked)
    between = DOWN * rack.up / (1.0 - rack.up)
    own = units(6, together=4, each=1, between=between, repair=DOWN, load=0.0)
    years, chance = 200, np.random.default_rng(7)
    come = sum(len(one.down(chance, years * 365 * 86_400.0)) for one in own) / years
    assert len(own) == 2
    assert found.racks == pytest.approx((come,), rel=0.05)


def test_replicas_that_are_spread_fail_each_with_its_own_node(tmp_path: Path) -> None:
    """Two of three on nodes of their own are up for the target of 99 %; on one node, which two fill, they are not."""
    whole, planned = scene(tmp_path, 20.0, 3)
    fleet = replace(planned, pools=tuple(replace(one, tp=4) for one in planned.pools))
    said = replace(whole.question, availability=0.98, availability_of="node")
    asked: dict[str, Any] = {"source": replace(whole, key="apart", question=said), "fleet": fleet, "spares": (1,)}
    asked |= {"failures": NODES, "down": DOWN}
    cases = failures.cases(Context(), at_once=None, slow=None, **asked)
    assert [(one.name, one.down, one.node) for one in cases] == [
        ("none down", (0,), False),
        ("1 down", (1,), False),
        ("2 down", (2,), False),
    ]
    found = failures.odds(Context(), cases=cases, **asked)
    up = 1.0 / (1.0 + NODES.per_day * DOWN / 86_400.0)
    assert found.no_more == pytest.approx([stats.binom.cdf(one.down[0], 3, 1.0 - up) for one in cases])
    assert found.per_year == pytest.approx((0.5 * up * 3 * 365.0,)), "of three nodes"
    filled = failures.cases(Context(), at_once=None, slow=None, **{**asked, "spares": (0,)})
    assert (NODE_DOWN, (2,)) in [(one.name, one.down) for one in filled]


def test_a_replica_loads_its_weights(tmp_path: Path) -> None:
    _, fleet = scene(tmp_path, 20.0, 3)
    assert failures.load(Context(), fleet=fleet, delay=Delay(typed=60.0)) == 60.0
    assert failures.load(Context(), fleet=fleet, delay=Delay(node=0.0)) == pytest.approx(15 + 140 + 141, rel=0.02)


def test_a_failure_takes_a_node_of_one_pool_and_none_of_the_others(tmp_path: Path) -> None:
    """Found: what failed took a node of each pool at once, so that nothing was left of two nodes after any failure."""
    source, whole = scene(tmp_path, 20.0, 1, 4)
    fleet = replace(whole, pools=tuple(replace(one, tp=4) for one in whole.pools))
    asked: dict[str, Any] = {"source": source, "fleet": fleet, "failures": NODES, "down": DOWN, "spares": (0, 1)}
    cases = failures.cases(Context(), at_once=0.5, slow=None, **asked)
    assert [(one.name, one.down, one.place, one.node) for one in cases] == [
        ("none down", (0, 0), None, False),
        ("short's node", (1, 0), 0, True),
        ("1 of long", (0, 1), 1, False),
        ("long's node", (0, 2), 1, True),
        ("50% at once", (1, 2), None, False),
    ]
    found = failures.odds(Context(), cases=cases, **asked)
    up = 1.0 / (1.0 + NODES.per_day * DOWN / 86_400.0)
    assert found.all_up == pytest.approx((up, up**2))
    assert found.no_more == pytest.approx((up**3, 1.0, up**2, 1.0 - (1.0 - up) ** 2, 1.0 - (1.0 - up) ** 2))
    assert found.per_year == pytest.approx((0.5 * up * 365.0, 0.5 * up * 2 * 365.0)), "of one node and of two"
