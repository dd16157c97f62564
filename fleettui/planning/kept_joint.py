"""A kept joint plan with the plans of its workloads: what is asked of it is asked of each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.study import Study, plans_of
from fleettui.errors import InputError
from fleettui.planning.kept_plan import KeptPlan

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptJoint:
    """A joint plan's study and its workloads' plans by name, in the study's order."""

    study: Study
    members: Mapping[str, KeptPlan]

    @property
    def handle(self) -> str:
        """What people type to get the joint plan."""
        return self.study.handle

    def check_fleets(self, whose: str) -> None:
        """Raise InputError where no workload has a fleet, "whose" this or that is asked for."""
        if not self.members:
            raise InputError(
                f"the joint plan found no fleets {whose}",
                value=self.handle,
                remedy=f"fleettui show {self.handle} says which workloads fit together, and what would do for all",
            )


def joint_of(store: Store, ref: str) -> KeptJoint | None:
    """Return the joint plan that `ref` names, None where it names something else; raises InputError for nothing."""
    noun, identifier = store.kept(ref)
    study = store.study(identifier) if noun == "study" else None
    if study is None or study.kind != "joint":
        return None
    members = {name: KeptPlan.of(store, handle) for name, handle in plans_of(study).items()}
    return KeptJoint(study=study, members=members)
