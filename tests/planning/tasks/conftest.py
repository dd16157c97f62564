from collections.abc import Callable

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.workload import LengthDistribution, TimeSlice, Workload
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan

Timed = Callable[..., Workload]


@pytest.fixture(scope="session")
def question() -> Question:
    """100 requests/s of the Azure conversation trace on H100s in eights: one profile, a fast search."""
    return Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=100.0),
        slo=Slo(ttft=0.5),
        gpus=("h100",),
        tp=(8,),
        max_num_seqs=256,
        token_budget=2048,
        front_end=0.0,
        step_law="roofline",
    )


@pytest.fixture(scope="session")
def found(question: Question) -> NewPlan:
    """The plan of `question`, searched for once in each process."""
    return plan.run(Context(), question=question)


@pytest.fixture
def timed() -> Timed:
    """Make a workload of joint slices, each (start, duration, rate, atoms)."""

    def make(*parts: tuple[float, float, float | None, tuple[tuple[float, float, float], ...]]) -> Workload:
        return Workload(
            name="made",
            slices=tuple(
                TimeSlice(
                    start=start,
                    duration=duration,
                    rate=rate,
                    lengths=LengthDistribution(
                        kind="joint", atoms=atoms, n_samples=round(sum(weight for weight, _, _ in atoms))
                    ),
                )
                for start, duration, rate, atoms in parts
            ),
        )

    return make
