"""How far each input of a kept plan, and all of them together, move its GPUs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF, shape_of, whole_number

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext

SAMPLES, MOST_SAMPLES = 400, 100_000


def read(given: Given) -> dict[str, Any]:
    """Return the number of joint draws and the seed, None where it is not given."""
    from fleettui.reports.question.keys import BY_NAME

    return {
        "plan": given["plan"],
        "samples": whole_number(given, "samples", SAMPLES),
        "seed": BY_NAME["seed"].read(given["seed"], "--seed") if "seed" in given else None,
    }


async def work(desk: StudyContext, plan: str, *, samples: int = SAMPLES, seed: int | None = None) -> Study:
    """Return how far each input moves the size of the fleet of `plan`, and a joint sample of them all.

    `seed` is the plan's unless given; the same seed gives the same study.
    """
    from fleettui.domain.whatif import Sample, Swing
    from fleettui.reports.studies.sensitivity import sensitivity_study

    if not 1 <= samples <= MOST_SAMPLES:
        raise InputError(
            "this is no number of samples", where="--samples", value=samples, accepted=f"1 to {MOST_SAMPLES:,}"
        )
    edges = shape_of(desk, plan)
    about = edges.about
    root = about.plan.plan.seed if seed is None else seed
    swings, sample, formula = await desk.run(
        "whatif-sensitive",
        tuple[tuple[Swing, ...], Sample, int | None],
        source=edges.source,
        fleet=about.fleet.fleet,
        anchors=edges.known,
        samples=samples,
        seed=root,
    )
    told = replace(about, asked=f"{about.asked} --sensitivity --samples {samples} --seed {root}")
    return sensitivity_study(told, swings, sample, formula, root)


STUDY = StudyType(
    kind="sensitivity",
    command=WHATIF,
    work=work,
    read=read,
    arguments=(
        Argument(name="sensitivity", form="flag", help="how far each input, and all of them, move the GPUs"),
        Argument(name="samples", example="400", help="sensitivity: joint draws (default 400)"),
        Argument(name="seed", example="7", help="sensitivity: default the plan's"),
    ),
)
