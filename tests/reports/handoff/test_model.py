import pytest

from fleettui.errors import InputError
from fleettui.reports.handoff.model import Subject
from tests.reports.handoff.plans import PLANS, changed, kept, subject


def test_a_plan_without_a_fleet_deploys_nothing() -> None:
    with pytest.raises(InputError, match="nothing to deploy"):
        Subject.of(changed(kept(), answer=None, verdict="infeasible"))


@pytest.mark.parametrize("name", PLANS)
def test_figures_are_simulated_ones_where_there_are(name: str) -> None:
    for part in subject(name).pools:
        batch = part.figures.batch if part.seen is None else part.seen.batch
        assert part.running == batch * part.pool.pp
        assert part.rate * part.pool.replicas == pytest.approx(part.figures.arrival_rate)


def test_a_replica_spans_the_nodes_that_its_gpus_take() -> None:
    assert [part.nodes for part in subject("nodes").pools] == [2]
    assert [part.nodes for part in subject("two pools").pools] == [1, 1]
