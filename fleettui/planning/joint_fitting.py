"""Which workloads of a joint question fit together where all do not, and what the others lack beside them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from fleettui.domain.joint import Fitting, Joint, Kind, Missing, Planned
from fleettui.planning.joint_candidates import Menu

Choose = Callable[[Sequence[Menu]], Awaitable[Joint]]
"""Returns the best combination of one fleet per menu within the shared limits."""


async def fitting(
    menus: Sequence[Menu], planned: Sequence[Planned], kinds: Sequence[Kind], choose: Choose
) -> Fitting | None:
    """Return the workloads that fit together, the cheapest by itself first, each where it fits beside those before it.

    None where no one fits. `planned` are the menus' entries with what each costs alone.
    """
    alone = [(one.alone_cost, place) for place, one in enumerate(planned) if one.alone]
    taken: list[int] = []
    best = Joint(chosen=None)
    for _, place in sorted(alone):
        tried = await choose([menus[one] for one in sorted((*taken, place))])
        if tried.chosen is not None:
            taken, best = [*taken, place], tried
    if not taken:
        return None
    missing = []
    for place in sorted({*range(len(menus))} - {*taken}):
        found = await choose([menus[one] for one in sorted((*taken, place))])
        needs = tuple((use.resource, use.would_do) for use in found.uses if use.would_do is not None)
        missing.append(
            Missing(
                name=menus[place].entry.name,
                needs=needs or found.together,
                needs_all=not needs,
                simulated=found.simulated,
            )
        )
    return Fitting(
        names=tuple(menus[place].entry.name for place in sorted(taken)),
        gpus=tuple((kind.name, count) for kind, count in zip(kinds, best.paid, strict=True) if count),
        cost=best.cost,
        missing=tuple(missing),
        simulated=best.simulated,
    )
