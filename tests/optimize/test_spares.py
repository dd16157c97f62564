from dataclasses import replace

import pytest
from scipy.stats import binom

from fleettui.domain.failures import Failures, Rack
from fleettui.optimize.spares import placed, spares
from tests.optimize.samples import atoms, plan, profile, question

NODES = question(availability=0.987, availability_of="node", availability_target=0.999)


@pytest.mark.parametrize(("tp", "replicas", "of_nodes", "of_gpus"), [(8, 7, 2, 5), (2, 14, 8, 3), (1, 14, 8, 3)])
def test_replicas_of_a_node_fail_together_and_spare_ones_are_whole_nodes(
    tp: int, replicas: int, of_nodes: int, of_gpus: int
) -> None:
    hardware = profile(tp=tp)
    assert spares(replicas, hardware, replace(NODES, whole_nodes=True)) == of_nodes
    assert spares(replicas, hardware, replace(NODES, availability_of="gpu")) == of_gpus


@pytest.mark.parametrize("tp", [1, 2, 4])
def test_replicas_that_need_not_fill_nodes_take_the_fewest_spares_of_any_placement(tp: int) -> None:
    """By the binomial form of one on each node: 2 + 1 of 3 nodes, where nodes filled take one of 8/tp more."""
    hardware, target = profile(tp=tp), NODES.availability_target
    for replicas in (1, 2, 14):
        alone = next(more for more in range(9) if binom.sf(replicas - 1, replicas + more, 0.987) >= target)
        assert spares(replicas, hardware, NODES) == alone
        group = placed(replicas, replicas + alone, hardware, NODES)
        assert group is not None
        assert group.all_up(replicas, replicas + alone) >= target
        filled = replicas + 8 // tp
        assert (placed(replicas, filled, hardware, NODES) or group).replicas >= group.replicas, "no wider than it must"


def test_gpu_types_are_compared_by_the_fewest_spares_of_each() -> None:
    """Found: two of two GPUs and four spare ones lost against GPUs that fill nodes, where two spare ones do, for less.

    Of mixtral-8x7b on H100, H200 and A100 the answer was 24 A100, $31.20/h, where 6 H100 on three nodes are $17.70.
    """
    asked = replace(NODES, availability=0.98, pools=(1,))
    small, large = profile(price=2.95), profile("large", tp=8, price=1.6, speed=2.0)
    spread, filled = (
        plan(replace(asked, whole_nodes=whole), 20.0, atoms(2), [small, large]).answer for whole in (False, True)
    )
    assert spread is not None
    assert filled is not None
    assert [(pool.gpu, pool.replicas, pool.spares) for pool in spread.fleet.pools] == [(small.gpu, 2, 2)]
    assert [pool.gpu for pool in filled.fleet.pools] == [large.gpu]
    assert spread.cost_per_hour == pytest.approx(8 * 2.95)
    assert spread.cost_per_hour < filled.cost_per_hour


def test_a_stock_changes_no_spares_and_who_shares_one_fills_its_nodes() -> None:
    """Found: PASS with 2+1 on 3 nodes of a stock of 6 H100, beside a line of 99.01 % for nodes that are filled."""
    hardware = profile(tp=2)
    assert 1 == spares(2, hardware, NODES) < spares(2, hardware, replace(NODES, whole_nodes=True)) == 4
    assert spares(2, hardware, replace(NODES, shared_nodes=True)) == 4
    for most in (8, 16, 64):
        assert spares(2, hardware, replace(NODES, max_gpus=((hardware.gpu, most),))) == 1
        assert spares(2, hardware, replace(NODES, max_total_gpus=most)) == 1


def test_a_replica_on_two_nodes_is_up_while_both_are() -> None:
    pipeline, alike = replace(profile(tp=8), pp=2), replace(NODES, availability=0.987**2)
    assert spares(7, pipeline, NODES) == spares(7, profile(tp=8), alike) > spares(7, profile(tp=8), NODES)


def test_failures_and_their_repair_make_an_availability_of_what_they_are_of() -> None:
    nodes = question(failures=Failures(per_day=0.0065, of="node"), repair=48 * 3600.0, availability_target=0.999)
    assert spares(7, profile(tp=8), nodes) == spares(7, profile(tp=8), replace(NODES, availability=0.98717)) == 2
    gpus = replace(nodes, failures=Failures(per_day=0.0065, of="gpu"))
    assert spares(7, profile(tp=8), gpus) == 5


def test_replicas_that_are_to_be_survived_stand_by_or_more_where_an_availability_asks_for_more() -> None:
    assert [spares(7, profile(tp=8), question(survive=count)) for count in (0, 1, 3)] == [0, 1, 3]
    assert [spares(7, profile(tp=8), replace(NODES, survive=count)) for count in (0, 1, 3)] == [2, 2, 3]


def test_the_papers_hold_the_needed_over_the_availability() -> None:
    assert spares(56, profile(tp=1), question(availability=0.95, preset="paper")) == 59 - 56
    assert spares(56, profile(tp=1), question(preset="paper")) == spares(56, profile(tp=1), question()) == 0


def test_what_nodes_share_takes_more_of_them() -> None:
    racked = replace(NODES, rack=Rack(nodes=4, up=0.999))
    assert spares(14, profile(tp=2), replace(racked, whole_nodes=True)) == 16, (
        "a rack of four nodes, where one of eight GPUs fails at a time"
    )
    assert spares(7, profile(tp=8), racked) == 4
    spanning, alike = replace(profile(tp=8), pp=8), replace(NODES, availability=0.987**8 * 0.999**2)
    assert spares(3, spanning, racked) == spares(3, profile(tp=8), alike), "a replica on two racks needs both"


def test_replicas_that_share_a_node_are_told_where_fewer_stand_by() -> None:
    """With one replica to be survived nothing said that a node takes four of two GPUs with it."""
    one, four = (plan(question(survive=count, pools=(1,)), 40.0, atoms(2), [profile()]) for count in (1, 4))
    assert "pool all: a node down takes up to 4 replicas, 1 stands by: --survive 4" in one.warnings
    assert not any("a node down" in warning for warning in four.warnings)
    few = plan(question(survive=1, pools=(1,)), 20.0, atoms(2), [profile()])
    assert "pool all: a node down takes up to 3 replicas, 1 stands by: --survive 4" in few.warnings
    alone = plan(question(survive=1, pools=(1,)), 20.0, atoms(2), [replace(profile(), gpus_per_node=2)])
    assert not any("a node down" in warning for warning in alone.warnings)
