from dataclasses import replace

import pytest

from fleettui.errors import InputError
from fleettui.reports.handoff.model import Subject
from tests.reports.handoff.plans import PLANS, changed, kept, subject


def test_a_plan_without_a_fleet_deploys_nothing() -> None:
    with pytest.raises(InputError, match="nothing to deploy"):
        Subject.of(changed(kept(), answer=None, verdict="infeasible"))


@pytest.mark.parametrize("name", [name for name in PLANS if name != "idle and swamped"])
def test_figures_are_simulated_ones_where_there_are(name: str) -> None:
    for part in subject(name).pools:
        batch = part.figures.batch if part.seen is None else part.seen.batch
        assert part.running == batch * part.pool.batches
        assert part.rate * part.pool.replicas == pytest.approx(part.figures.arrival_rate)


def test_a_replica_that_divides_its_sequences_runs_as_many_batches_as_it_has_gpus() -> None:
    part = subject("one pool").pools[0]
    divided = replace(part, pool=replace(part.pool, attention_dp=True, tp=8))
    assert divided.running == 8 * part.running


def test_what_is_idle_or_swamped_has_thresholds_all_the_same() -> None:
    idle, swamped = subject("idle and swamped").pools
    assert (idle.running, idle.waiting) == (1.0, 1.0)
    assert (swamped.running, swamped.waiting) == (256.0, 1.0)


def test_a_replica_spans_the_nodes_that_its_gpus_take() -> None:
    assert [part.nodes for part in subject("nodes").pools] == [2]
    assert [part.nodes for part in subject("two pools").pools] == [1, 1]
    part = subject("nodes").pools[0]
    assert replace(part, pool=replace(part.pool, tp=4, pp=5)).nodes == 5  # a stage a node
    assert replace(part, gpus_per_node=None).nodes == 1
