"""Where a kept plan comes from and what was forked from it, with what changed from plan to plan."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from fleettui.domain.plan_row import PlanRow
from fleettui.reports import input_changes
from fleettui.reports.ancestry_text import Family, Relative

if TYPE_CHECKING:
    from store import Store

PARENTS, CHILDREN = 8, 20
"""Plans that are told before and after one, at most."""


def family(store: Store, ref: str) -> Family:
    """Return the plan that `ref` names among its kin; raises InputError when there is none."""
    chain = [store.row(ref)]
    while chain[0].parent and len(chain) <= PARENTS:
        chain.insert(0, store.row(chain[0].parent))
    children = store.children(chain[-1].id, CHILDREN + 1)
    scenario, profile = cache(store.scenario), cache(store.profile)  # children share their parent's, and the hardware

    def relative(before: PlanRow, row: PlanRow, depth: int) -> Relative:
        old, new = scenario(before.id), scenario(row.id)
        profiles = ([profile(key) for key in one.profiles] for one in (old, new))
        found = input_changes.between(old, new, *profiles)
        return Relative(row=row, depth=depth, before=before, changes=tuple(one.text for one in found))

    told = [Relative(row=chain[0], depth=0)]
    told += [relative(before, row, depth) for depth, (before, row) in enumerate(pairwise(chain), start=1)]
    told += [relative(chain[-1], row, len(chain)) for row in children[:CHILDREN]]
    return Family(
        plan=chain[-1].id,
        relatives=tuple(told),
        earlier=bool(chain[0].parent),
        more=len(children) > CHILDREN,
    )
