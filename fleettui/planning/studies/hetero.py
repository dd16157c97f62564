"""Cheaper GPUs role by role in fleets that prefill apart, and in those whose attention is apart, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.frontier import explored, read_fleets
from fleettui.planning.studies.study_type import PLAN, Argument, Command, Given, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.hetero import Role
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

CHEAPER = "a100"
"""The cheaper GPU where nobody names one."""
SWAPS: dict[str, tuple[tuple[Role, ...], ...]] = {
    "apart": ((), ("decode",), ("prefill",)),
    "afd": ((), ("attention",), ("feed-forward",), ("attention", "feed-forward"), ("prefill",)),
}
"""The roles that get the cheaper GPU together, none first: by that the others are measured."""


def read(given: Given) -> dict[str, Any]:
    """Return the plan and what is typed; raises InputError for what does not read."""
    from fleettui.reports.units import PRICE

    found = read_fleets(given)
    if "cheaper" in given:
        name, _, price = given["cheaper"].partition("=")
        found["cheaper"] = name.strip().lower()
        if price:
            found["price"] = PRICE.parse(price, "--cheaper")
    return found


async def work(
    desk: StudyContext,
    plan: str,
    *,
    cheaper: str = CHEAPER,
    price: float | None = None,
    gpu: str = "",
    gpus: int = 0,
    layouts: tuple[str, ...] = (),
    link: float | None = None,
) -> Study:
    """Return what each role on GPUs `cheaper` does to the best fleet of either way, by formula, and which gate refuses.

    `price` is that of one of them in US dollars an hour, the catalogue's unless given. Raises InputError for what
    `frontier` refuses, for a GPU without a price, for one that is no cheaper, and where no fleet keeps the limits.
    """
    from fleettui.domain.hetero import Allocation
    from fleettui.reports.studies.hetero import hetero_study

    kept = desk.kept(plan)
    source, found = await explored(desk, kept, gpu=gpu, gpus=gpus, layouts=layouts, link=link)
    costs = _price(kept, cheaper, price)
    bases = [one for name in ("apart", "afd") if (one := found.best(name, found.bounds[-1])) is not None]
    if not bases:
        raise InputError(
            "no fleet that prefills apart keeps the limits", value=plan, remedy="name more --gpus, or longer limits"
        )
    own = bases[0].cost / bases[0].gpus
    if cheaper == found.asked.gpu or costs >= own:
        raise InputError(
            f"{cheaper} is no cheaper than {found.asked.gpu}",
            where="--cheaper",
            value=f"${costs:.2f} an hour against ${own:.2f}",
            remedy="name another, or its price: --cheaper h20=1.20",
        )
    tasks = [
        desk.run(
            "hetero",
            Allocation,
            source=source,
            asked=found.asked,
            base=base,
            cheaper=cheaper,
            price=costs,
            roles=roles,
        )
        for base in bases
        for roles in SWAPS[base.architecture]
    ]
    rows = await desk.each(tasks, f"giving roles the GPU {cheaper}")
    said = {"cheaper": cheaper if price is None else f"{cheaper}={price:g}", "gpu": gpu, "gpus": str(gpus or "")}
    said |= {"afd": ",".join(layouts), "link": "" if link is None else f"{link / 1e9:g}GB/s"}
    typed = tuple(f"--{name} {value}" for name, value in said.items() if value)
    return hetero_study(kept.answer, found, rows, cheaper=cheaper, typed=typed)


def _price(kept: KeptPlan, name: str, typed: float | None) -> float:
    from fleettui.hardware import catalog

    known = dict(kept.question.prices).get(name) if typed is None else typed
    gpu = catalog.gpu(name)
    if known is not None:
        return known
    if gpu.price is None:
        raise InputError(f"no price of {name} is known", where="--cheaper", remedy=f"type one: --cheaper {name}=1.20")
    return gpu.price.per_hour


STUDY = StudyType(
    kind="hetero",
    work=work,
    read=read,
    picture=Picture(table=0, column="efficiency"),
    command=Command(
        name="hetero",
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
            Argument(name="cheaper", example="h20=1.20", default=CHEAPER, help="a GPU, and its price an hour"),
            Argument(name="gpus", example="64", help="GPUs to divide (default the plan's, 16 at least)"),
            Argument(name="gpu", example="h100", help="the other type (default the plan's)"),
            Argument(name="afd", example="tp2dp4/ep8", help="AFD layouts that are tried (default many)"),
            Argument(name="link", example="50GB/s", help="what a replica's link moves, one way"),
        ),
    ),
)
