"""Cheaper GPUs role by role in fleets that prefill apart, and in those whose attention is apart, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument
from fleettui.planning.studies.frontier import GPUS_ARGUMENT, LINK_ARGUMENT, explored
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.frontier import FrontierFound
    from fleettui.domain.hetero import Allocation
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.prepared_fleet import SceneSource
    from fleettui.planning.studies.study_context import StudyContext

CHEAPER = "a100"
"""The cheaper GPU where nobody names one."""


async def work(
    desk: StudyContext,
    plan: str,
    *,
    cheaper: tuple[str, float | None],
    gpu: str = "",
    gpus: int = 0,
    layouts: tuple[str, ...] = (),
    link: float | None = None,
    no_verify: bool = False,
) -> Study:
    """Return what roles on the GPU `cheaper` do to the best fleet of either way, and which gate refuses.

    Whether a dollar buys enough is decided by simulated runs of what comes to that, unless `no_verify`.

    With it is its price in US dollars an hour, the catalogue's where that is None. Raises InputError for what
    `frontier` refuses, for a GPU without a price, for one that is no cheaper, and where no fleet keeps the limits.
    """
    from fleettui.architectures import ARCHITECTURES
    from fleettui.domain.hetero import Allocation
    from fleettui.reports.studies.hetero import hetero_study

    kept = desk.kept(plan)
    name, price = cheaper
    costs = _price_below(kept, gpu, name, price)
    source, found = await explored(desk, kept, gpu=gpu, gpus=gpus, layouts=layouts, link=link)
    ways = (one for one in ARCHITECTURES if one.swaps)
    bases = [(way, one) for way in ways if (one := found.best(way.name, found.bounds[-1])) is not None]
    if not bases:
        raise InputError(
            "no fleet that prefills apart keeps the limits", value=plan, remedy="name more --gpus, or longer limits"
        )
    tasks = [
        desk.run(
            "hetero",
            Allocation,
            source=source,
            asked=found.asked,
            base=base,
            cheaper=name,
            price=costs,
            roles=roles,
        )
        for way, base in bases
        for roles in ((), *way.swaps)  # without any first: by that the others are measured
    ]
    rows = await desk.each(tasks, f"giving roles the GPU {name}")
    if not no_verify:
        rows = await _simulated(desk, kept, rows, found, source=source, cheaper=name, price=costs)
    return hetero_study(kept.answer, found, rows, cheaper=name)


async def _simulated(
    desk: StudyContext,
    kept: KeptPlan,
    rows: Sequence[Allocation],
    found: FrontierFound,
    *,
    source: SceneSource,
    cheaper: str,
    price: float,
) -> list[Allocation]:
    """Return the rows; those that come to the last gate with their gain, simulated beside the base of one type."""
    from fleettui.domain.hetero import RUNS
    from fleettui.domain.plan import Estimate

    plain = {one.base: one for one in rows if not one.roles}
    decided = [one for one in rows if one.roles and one.refused_by(plain[one.base]) in ("", "efficiency")]
    played = [*dict.fromkeys(plain[one.base] for one in decided), *decided]
    tasks = [
        desk.run(
            "hetero-play",
            float,
            source=source,
            asked=found.asked,
            row=row,
            cheaper=cheaper,
            price=price,
            limits=(found.bounds[-1], found.tpot),
            seed=kept.answer.plan.seed,
            index=index,
        )
        for row in played
        for index in range(RUNS)
    ]
    tokens = await desk.each(tasks, "simulating what the last gate decides")
    runs = {row: tuple(tokens[RUNS * place : RUNS * (place + 1)]) for place, row in enumerate(played)}
    gains = [
        desk.run(
            "hetero-gain",
            Estimate,
            plain=runs[plain[one.base]],
            other=runs[one],
            spend=one.spend_ratio(plain[one.base]),
        )
        for one in decided
    ]
    known = dict(zip(decided, await desk.each(gains, "comparing run by run"), strict=True))
    return [replace(one, gain=known.get(one)) for one in rows]


def _price_below(kept: KeptPlan, other: str, name: str, typed: float | None) -> float:
    """Return what the GPU `name` costs an hour; raises InputError for one that is no cheaper than the `other` type."""
    other = other or kept.fleet_for("to give cheaper GPUs").fleet.pools[0].gpu
    known = _price(kept, name)
    costs = known if typed is None else typed
    if costs is None:
        raise InputError(f"no price of {name} is known", where="--cheaper", remedy=f"type one: --cheaper {name}=1.20")
    own = _price(kept, other)
    if own is not None and (name == other or costs >= own):
        raise InputError(
            f"{name} is no cheaper than {other}",
            where="--cheaper",
            value=f"${costs:.2f} an hour against ${own:.2f}",
            remedy="name another, or its price: --cheaper h20=1.20",
        )
    return costs


def _price(kept: KeptPlan, name: str) -> float | None:
    """Return what a GPU costs an hour in the plan's question, or else in the catalogue; None where neither says it."""
    from fleettui.hardware import catalog

    gpu = catalog.gpu(name)
    return dict(kept.question.prices).get(name, None if gpu.price is None else gpu.price.per_hour)


STUDY = StudyType(
    kind="hetero",
    work=work,
    picture=Picture(table=0, column="efficiency"),
    command=Command(
        help="cheaper GPUs for some roles: does a dollar buy more?",
        about="Give roles of disaggregated fleets a cheaper GPU, one by one, and hold each to three gates.",
        examples="""\
\b
Examples:
  fleettui hetero last --cheaper h20=1.20
  fleettui hetero 41a7 --cheaper a100 --gpus 64 --afd tp2dp4/ep8
""",
        view="disagg",
        after="frontier",
        arguments=(
            PLAN,
            Argument(
                name="cheaper",
                reads="gpu at a price",
                example="h20=1.20",
                default=CHEAPER,
                help="a GPU, and its price an hour",
            ),
            GPUS_ARGUMENT,
            Argument(name="gpu", reads="gpu", example="h100", help="the other type (default the plan's)"),
            Argument(
                name="afd",
                reads="AFD layouts",
                fills="layouts",
                example="tp2dp4/ep8",
                help="AFD layouts that are tried (default many)",
            ),
            LINK_ARGUMENT,
            Argument(name="no-verify", form="flag", help="by formula alone, nothing simulated"),
        ),
    ),
)
