from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run


def planned(question: Question) -> Answer:
    return run(Context(), question=replace(question, verify=False)).answer


@pytest.mark.evidence
def test_the_availability_of_a_node_is_not_taken_of_each_of_its_gpus(question: Question) -> None:
    """98.7 % of a node asks for two spare nodes; of a GPU a replica of eight would be up 90 % of the time."""
    nodes = replace(question, availability=0.987, availability_of="node", availability_target=0.999)
    found, gpus = planned(nodes), planned(replace(nodes, availability_of="gpu"))
    assert found.answer is not None
    assert gpus.answer is not None
    assert [pool.spares for pool in found.answer.fleet.pools] == [2]
    assert [pool.spares for pool in gpus.answer.fleet.pools] == [5]
    assert found.redundancy is not None
    (pool,) = found.redundancy.pools
    assert (pool.replicas, pool.chosen.gpus) == (found.answer.fleet.pools[0].replicas, found.answer.gpus)
    assert pool.chosen.cost == found.answer.cost_per_hour
    assert pool.choices[0].all_up.ttft == found.answer.pools[0].ttft, "the pool itself"
    assert pool.chosen.up >= 0.999 > pool.choices[1].up


@pytest.mark.evidence
def test_no_failures_or_no_rate_no_table(question: Question) -> None:
    assert planned(question).redundancy is None
    closed = replace(question, availability=0.99, demand=Demand(form="concurrency", concurrency=200))
    assert planned(closed).redundancy is None
