"""What a law of measured kernels says of a run as the engine plays it, for a fit of its terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fleettui.domain.calibration import StepTerms
from fleettui.domain.hardware import StepTable
from fleettui.domain.server import ServerKey
from fleettui.domain.validation import Comparison, MeasuredPoint, State
from fleettui.hardware.calibration import Laws, RunLaw
from fleettui.hardware.engine_record import FrontEnd
from fleettui.hardware.own_fit import fitted_step
from fleettui.hardware.validation import compare_point, engine_of, replica_of
from fleettui.simulation.replayed_run import replayed_by

LONGER = 0.2
"""By what share of the law's time between tokens a step is longer that shows what a constant adds."""
STEEPER = 0.5
"""By what share of the law's slopes they are steeper that show what these add."""


def by_play(points: Iterable[MeasuredPoint]) -> Laws:
    """Return what kernels say of each of the `points` as the engine plays it."""
    most: dict[ServerKey, int] = {}
    for point in points:
        most[point.server_key] = max(point.concurrency, most.get(point.server_key, 0))

    def read(point: MeasuredPoint) -> tuple[State, Callable[[], RunLaw]]:
        one = compare_point(point, "kernels")

        def law() -> RunLaw:
            table, blocks = replica_of(point, "kernels")
            assert isinstance(table, StepTable), "kernels are tabulated"
            return played_law(one, table, blocks, engine_of(point).front_end, most[point.server_key])

        return one.state, law

    return read


def played_law(one: Comparison, table: StepTable, blocks: int, front_end: FrontEnd, clients: int) -> RunLaw:
    """Return what a replica's steps and blocks say of a run, of whose server up to so many `clients` were run."""
    behind = replace(front_end, request=0.0)

    def played(terms: StepTerms) -> Comparison:
        step = fitted_step(table, terms, clients)
        assert isinstance(step, StepTable), "kernels are tabulated"
        return replayed_by(one, step, blocks, behind)

    law = played(StepTerms()).predicted_tpot
    more = LONGER * law
    longer = played(StepTerms(constant=more)).predicted_tpot - law
    context = played(StepTerms(context_slope=1.0 + STEEPER)).predicted_tpot - law
    prompts = played(StepTerms(prompt_slope=1.0 + STEEPER)).predicted_tpot - law
    return RunLaw(
        tpot=(law, longer / more, context / STEEPER, prompts / STEEPER),
        ttft=lambda terms: played(terms).predicted_ttft,
    )
