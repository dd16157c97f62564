"""Orders of workloads that share GPUs: what is paid for and idle serves first."""

from dataclasses import replace
from datetime import date, timedelta

from fleettui.domain.joint_orders import JointOrder, due, in_use, joint_orders
from fleettui.domain.whatif import Growth, Orders, Stage, Step

START = date(2026, 12, 1)


def growth(months: int, orders: Orders = "quarter") -> Growth:
    return Growth(
        per_month=0.05,
        span=None,
        start=START.isoformat(),
        today=START.isoformat(),
        lead_days=30.0,
        months=months,
        orders=orders,
    )


def stage(days: int, **gpus: int) -> Stage:
    """Return the fleet of so many GPUs by type that is needed so many days after the start."""
    step = Step(
        replicas=(sum(gpus.values()),),
        up_to=100.0,
        gpus=sum(gpus.values()),
        cost=0.0,
        runs_out=("all",),
        limited_by="TTFT",
        ttft=0.5,
        there=tuple(gpus.items()),
    )
    reached = START + timedelta(days=days)
    return Stage(
        reached=reached.isoformat(),
        order_by=(reached - timedelta(days=30)).isoformat(),
        late=False,
        rate=100.0,
        step=step,
    )


CHAT = [stage(0, h100=12), stage(20, h100=14), stage(150, h100=18)]
CODE = [stage(0, l40s=16), stage(10, l40s=18), stage(40, l40s=20), stage(80, l40s=22), stage(200, l40s=28)]
DIGEST = [stage(0, l40s=10), stage(30, l40s=12), stage(60, l40s=14)]
FLEETS = {"chat": CHAT, "code": CODE, "digest": DIGEST}
NODES = {"h100": 8, "l40s": 8}


def told(found: JointOrder) -> tuple[int, str, dict[str, int], dict[str, int]]:
    days = (date.fromisoformat(found.stage.reached) - START).days
    return days, found.name, dict(found.ordered), dict(found.total)


def test_idle_gpus_serve_whoever_needs_them_first_before_anything_is_ordered() -> None:
    """Six L40S are idle: three fleets of two more, of two workloads. The next takes a node that lasts for the others.

    Found: 8 L40S ordered for a workload beside six that were paid for and idle.
    """
    assert in_use(FLEETS) == {"h100": 12, "l40s": 26}
    found = [told(one) for one in joint_orders(FLEETS, {"h100": 16, "l40s": 32}, NODES, growth(9))]
    assert found == [
        (60, "digest", {"l40s": 8}, {"h100": 16, "l40s": 40}),
        (150, "chat", {"h100": 8}, {"h100": 24, "l40s": 40}),
        (200, "code", {"l40s": 8}, {"h100": 24, "l40s": 48}),
    ]
    assert not list(joint_orders(FLEETS, {"h100": 16, "l40s": 32}, NODES, growth(1)))


def moved(fleets: dict[str, list[Stage]], by: int) -> dict[str, list[str]]:
    """Return the days by which fleets are to be ordered so many days later."""
    return {
        name: [(date.fromisoformat(one.order_by) + timedelta(days=by)).isoformat() for one in stages]
        for name, stages in fleets.items()
    }


def test_between_which_days_an_order_falls_is_when_what_is_there_before_it_lasts_no_longer() -> None:
    """Where all fleets are needed ten days sooner each order is due ten days sooner, whoever needs idle GPUs first."""
    sooner, later = moved(FLEETS, -10), moved(FLEETS, 25)
    fleets = {
        name: [
            replace(one, earliest=first, latest=last)
            for one, first, last in zip(stages, sooner[name], later[name], strict=True)
        ]
        for name, stages in FLEETS.items()
    }
    paid = {"h100": 16, "l40s": 32}
    found = list(joint_orders(fleets, paid, NODES, growth(9)))
    days = [date.fromisoformat(one.stage.order_by) for one in found]
    for order, day, before in zip(found, days, (paid, *(one.total for one in found)), strict=False):
        assert order.earliest == (day - timedelta(days=10)).isoformat()
        assert order.latest == (day + timedelta(days=25)).isoformat()
        assert due(fleets, before, lambda one: one.order_by) == order.stage.order_by
    # one workload alone whose fleets are needed much sooner takes what is idle of the others
    chat, early = fleets["chat"], "2026-11-01"
    code = [replace(one, earliest=early) for one in fleets["code"]]
    alone = next(joint_orders({"chat": chat, "code": code}, {"h100": 12, "l40s": 20}, NODES, growth(9)))
    assert (alone.name, alone.earliest) == ("chat", early)
    never = {"chat": [replace(one, latest="") for one in chat]}
    assert [one.latest for one in joint_orders(never, {"h100": 12}, NODES, growth(9))] == [""]


def test_an_order_covers_what_all_workloads_take_in_its_months() -> None:
    """From day 10 on a month takes 2 + 2 L40S, and a quarter 2 + 2 + 2 + 2 + 2."""
    for orders, ordered in (("month", 8), ("quarter", 16)):
        first = next(joint_orders(FLEETS, {"h100": 16, "l40s": 26}, NODES, growth(9, orders)))  # type: ignore[arg-type]
        assert told(first)[:3] == (10, "code", {"l40s": ordered})
    single = list(joint_orders(FLEETS, {"h100": 16, "l40s": 26}, dict.fromkeys(NODES, 1), growth(3, "each")))
    assert [told(one)[:3] for one in single] == [
        (10, "code", {"l40s": 2}),
        (30, "digest", {"l40s": 2}),
        (40, "code", {"l40s": 2}),
        (60, "digest", {"l40s": 2}),
        (80, "code", {"l40s": 2}),
    ]
