"""What a joint plan that no formula answers, but nearly, lacks: as each workload was simulated, where all were."""

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.joint import SharedLimits
from fleettui.domain.plan import Answer, PlanIdentity
from fleettui.planning import joint as joint_planning
from fleettui.planning.joint import JointSearch
from tests.planning.test_joint import desk, proving
from tests.planning.trials import shape


@pytest.mark.asyncio
async def test_what_would_do_is_told_as_simulated_where_all_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """By formula each takes 4 H100s of 7; chat was seen to need 6, so that 10 would do and not 8.

    Found: $54/h advised by formula, and $56/h instead where that was followed, with what was simulated before.
    """
    made = desk({"chat": [[0, 4]], "code": [[0, 4]]}, SharedLimits(max_gpus=(("h100", 7),)))
    proving(monkeypatch, {})

    async def offered(self: JointSearch) -> bool:
        """Each workload has a plan by itself that holds, and they do not fit together."""
        for menu, gpus in zip(self.menus, (6, 4), strict=True):
            if not menu.plans:
                identity = PlanIdentity(id=menu.entry.name)
                demand = DerivedDemand(rate=1.0, arithmetic="")
                best = shape(gpus // 2, gpu="h100")
                menu.offer(Answer(verdict="pass", plan=identity, demand=demand, answer=best), self.kinds)
        return False

    monkeypatch.setattr(joint_planning.JointSearch, "_one_by_one", offered)
    plan = await made.plan()
    assert plan.verdict == "infeasible"
    assert [use.would_do for use in plan.joint.uses] == [8.0]
    assert plan.proven is not None
    assert [use.would_do for use in plan.proven.uses] == [10.0]
    assert [dict(one.alone) for one in plan.planned] == [{"h100": 6}, {"h100": 4}]
    assert plan.fitting is not None
    assert [one.needs for one in plan.fitting.missing] == [(("stock of h100", 10.0),)]
