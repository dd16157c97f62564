"""One pool of a shipped workload on a GPU of the catalogue, at a wanted size and utilization, ready to be simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from fleettui.domain.dtype import Dtype
from fleettui.domain.engine_settings import PromptSteps
from fleettui.domain.fleet import Fleet, FleetSketch, PoolSketch
from fleettui.domain.hardware import Profile, StepLaw
from fleettui.domain.plan import PoolFigures
from fleettui.domain.replica import division_name
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength, PoolRun, Traffic
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.planning.tasks.workload_slices import longest_allowed
from fleettui.simulation.lengths import Lengths, lengths
from fleettui.simulation.run import replicate

PROBE = 0.01
"""Requests per second and replica at which no pool is full: utilization is in proportion to the rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A pool as a line of a table."""

    workload: str
    gpu: str
    replicas: int
    utilization: float
    tp: int = 8
    model: str = "llama-3.1-70b"
    limits: tuple[tuple[str, float], ...] = ()
    dtype: Dtype = "bf16"
    step_law: StepLaw = "roofline"
    engine: str = "vllm"
    pp: int = 1
    arrivals: str = "poisson"
    batch_share: float | None = None
    token_budget: int | None = None
    prompt_steps: PromptSteps | None = None

    @property
    def division(self) -> str:
        """Return how a replica is divided, in a few signs."""
        return division_name(self.tp, self.pp)

    @property
    def name(self) -> str:
        """Return workload, hardware and utilization in words without spaces."""
        return f"{self.workload}/{self.replicas}x{self.gpu}-{self.division}/{self.utilization:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """The pool with its traffic, what the formulas say of it, and how long it must be simulated."""

    fleet: Fleet
    traffic: Traffic
    profiles: tuple[Profile, ...]
    figures: PoolFigures
    lengths: Lengths
    slo: Slo

    @property
    def length(self) -> PoolLength:
        """The pool's own."""
        return self.lengths.pools[0]

    def run(self, seed: int, index: int, *, times: float = 1.0, most: int | None = None) -> PoolRun:
        """Return what one replication shows, `times` as long as needed, with at most `most` measured requests."""
        measured = round(self.length.measured * times)
        length = replace(self.length, measured=measured if most is None else min(measured, most))
        found = replicate(
            self.fleet, self.traffic, [length], profiles=self.profiles, slo=self.slo, seed=seed, index=index
        )
        return found.pools[0]


@lru_cache(maxsize=2)
def staged(setup: Setup) -> Staged:
    """Return the pool at the rate that makes it as busy as wanted."""
    question = Question(
        workload=setup.workload,
        slo=Slo(further=setup.limits),
        model=setup.model,
        dtype=setup.dtype,
        step_law=setup.step_law,
        engine=setup.engine,
        arrivals=setup.arrivals,
        batch_share=setup.batch_share,
        token_budget=setup.token_budget,
        prompt_steps=setup.prompt_steps,
    )
    workload = workload_of(question, longest=longest_allowed(question, catalog.model(setup.model)))
    question = with_record(question, workload)
    cases, context = read(question, workload)
    sketch = FleetSketch(
        pools=(
            PoolSketch(
                gpu=setup.gpu,
                model=setup.model,
                dtype=setup.dtype,
                tp=setup.tp,
                pp=setup.pp,
                replicas=setup.replicas,
            ),
        ),
    )
    scene = Scene(question=question, case=cases[0], rate=PROBE * setup.replicas, context=context)
    probed = scene.stage(sketch)[0].candidate.pools[0].utilization
    rate = scene.rate * setup.utilization / probed
    fixed, profiles = replace(scene, rate=rate).stage(sketch)
    fleet = fixed.candidate.fleet
    return Staged(
        fleet=fleet,
        traffic=fixed.traffic,
        profiles=profiles,
        figures=fixed.candidate.pools[0],
        lengths=lengths(fleet, fixed.traffic),
        slo=question.slo,
    )
