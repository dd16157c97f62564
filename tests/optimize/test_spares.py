from dataclasses import replace

import pytest

from fleettui.domain.failures import Failures, Rack
from fleettui.optimize.spares import spares
from tests.optimize.samples import atoms, plan, profile, question

NODES = question(availability=0.987, availability_of="node", availability_target=0.999)


@pytest.mark.parametrize(("tp", "replicas", "of_nodes", "of_gpus"), [(8, 7, 2, 5), (2, 14, 8, 3), (1, 14, 8, 3)])
def test_replicas_of_a_node_fail_together_and_spare_ones_are_whole_nodes(
    tp: int, replicas: int, of_nodes: int, of_gpus: int
) -> None:
    hardware = profile(tp=tp)
    assert spares(replicas, hardware, NODES) == of_nodes
    assert spares(replicas, hardware, replace(NODES, availability_of="gpu")) == of_gpus


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
    assert spares(14, profile(tp=2), racked) == 16, "a rack of four nodes, where one of eight GPUs fails at a time"
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
