"""The choice of one fleet per question against trying every combination."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.joint import Joint, JointObjective, Kind, SharedLimits, stock
from fleettui.optimize.joint_choice import Table, choose, nearest
from tests.repeated import few

KINDS = (Kind(name="a100", price=1.2, per_node=8), Kind(name="h100", price=2.1, per_node=8))
ORDERS: dict[JointObjective, tuple[str, ...]] = {
    "cost": ("cost", "gpus"),
    "gpus": ("gpus", "cost"),
    "power": ("power", "cost", "gpus"),
}


def table(*rows: tuple[int, int], watts: Sequence[float] | None = None) -> Table:
    """Return fleets of (a100, h100)."""
    drawn = np.array(watts if watts is not None else [700.0 * sum(row) for row in rows], dtype=float)
    return Table(gpus=np.array(rows, dtype=np.int64), watts=drawn)


def used(tables: Sequence[Table], chosen: Sequence[int], limits: SharedLimits) -> dict[str, float]:
    """Add up what a combination uses, by hand."""
    counts = [sum(int(t.gpus[i][kind]) for t, i in zip(tables, chosen, strict=True)) for kind in range(len(KINDS))]
    if limits.whole_nodes:
        counts = [math.ceil(count / kind.per_node) * kind.per_node for count, kind in zip(counts, KINDS, strict=True)]
    return {
        **{stock(kind.name): float(count) for kind, count in zip(KINDS, counts, strict=True)},
        "gpus": float(sum(counts)),
        "cost": sum(kind.price * count for kind, count in zip(KINDS, counts, strict=True)),
        "power": float(sum(t.watts[i] for t, i in zip(tables, chosen, strict=True))),
    }


def keeps(spent: dict[str, float], limits: SharedLimits, without: str = "") -> bool:
    return all(spent[name] <= most + 1e-9 for name, most in limits.limits() if name != without)


def every(tables: Sequence[Table]) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(len(one.gpus)) for one in tables)))


def by_trying(tables: Sequence[Table], limits: SharedLimits, objective: JointObjective) -> tuple[float, ...] | None:
    """Return the least (objective, then the others) over all combinations within the limits, None where none is."""
    spent = [used(tables, chosen, limits) for chosen in every(tables)]
    kept = [tuple(round(one[name], 6) for name in ORDERS[objective]) for one in spent if keeps(one, limits)]
    return min(kept, default=None)


def random_case(seed: int) -> tuple[list[Table], SharedLimits, JointObjective]:
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(int(rng.integers(2, 5))):
        count = int(rng.integers(1, 7))
        rows = rng.integers(0, 14, (count, 2)) + np.array([0, 1])
        tables.append(table(*map(tuple, rows.tolist()), watts=rng.integers(300, 9000, count).tolist()))
    some = used(tables, every(tables)[int(rng.integers(0, len(every(tables))))], SharedLimits())

    def most(name: str) -> float | None:
        return some[name] * float(rng.uniform(0.7, 1.3)) if rng.random() < 0.35 else None

    total = most("gpus")
    stocks = [(kind.name, max(1, int(some[stock(kind.name)] * rng.uniform(0.6, 1.4)))) for kind in KINDS]
    limits = SharedLimits(
        max_gpus=tuple(one for one in stocks if rng.random() < 0.6),
        max_total_gpus=None if total is None else max(1, int(total)),
        budget=most("cost"),
        max_power=most("power"),
        whole_nodes=bool(rng.random() < 0.4),
    )
    return tables, limits, ("cost", "gpus", "power")[int(rng.integers(0, 3))]


@pytest.mark.parametrize("seed", few(range(200), 10, more=12))
def test_agrees_with_trying_everything(seed: int) -> None:
    tables, limits, objective = random_case(seed)
    found, best = choose(tables, KINDS, limits, objective), by_trying(tables, limits, objective)
    assert (found.chosen is None) == (best is None)
    if found.chosen is None:
        assert_the_relaxations_are_the_smallest(found, tables, limits)
        return
    spent = used(tables, found.chosen, limits)
    assert keeps(spent, limits)
    assert tuple(round(spent[name], 6) for name in ORDERS[objective]) == pytest.approx(best, abs=2e-6)
    assert found.cost == pytest.approx(spent["cost"])
    assert found.paid == tuple(int(spent[stock(kind.name)]) for kind in KINDS)
    assert [(use.resource, use.used, use.most) for use in found.uses] == [
        (name, pytest.approx(spent[name]), most) for name, most in limits.limits()
    ]
    assert_the_held_back_are_those_with_something_better(found, tables, limits, ORDERS[objective])


def assert_the_relaxations_are_the_smallest(found: Joint, tables: Sequence[Table], limits: SharedLimits) -> None:
    spent = [used(tables, chosen, limits) for chosen in every(tables)]
    for use in found.uses:
        least = min((one[use.resource] for one in spent if keeps(one, limits, without=use.resource)), default=None)
        assert use.would_do == (None if least is None else pytest.approx(least))
    if all(use.would_do is None for use in found.uses):
        raised = dict(found.together)
        assert len(raised) > 1
        assert any(all(one[name] <= raised.get(name, most) + 1e-9 for name, most in limits.limits()) for one in spent)


def assert_the_held_back_are_those_with_something_better(
    found: Joint, tables: Sequence[Table], limits: SharedLimits, order: Sequence[str]
) -> None:
    assert found.chosen is not None
    held = {one.entry: one for one in found.held_back}
    for entry, own in enumerate(tables):
        swapped = [
            used(tables, (*found.chosen[:entry], i, *found.chosen[entry + 1 :]), limits) for i in range(len(own.gpus))
        ]
        best = min(round(one[order[0]], 6) for one in swapped)
        assert (entry in held) == (best < used(tables, found.chosen, limits)[order[0]] - 1e-4)
        if entry in held:
            better = swapped[held[entry].option]
            assert better[order[0]] == pytest.approx(best)
            assert dict(held[entry].needs) == {
                name: pytest.approx(better[name]) for name, most in limits.limits() if better[name] > most + 1e-6
            }


def test_the_shared_stock_decides_who_gets_the_better_gpus() -> None:
    tables = [table((0, 4), (12, 0)), table((0, 4), (8, 0))]
    found = choose(tables, KINDS, SharedLimits(max_gpus=(("h100", 4),)))
    assert found.chosen == (0, 1)  # 4 H100 + 8 A100 are $18.0/h; 4 H100 + 12 A100 would be $22.8/h
    assert found.cost == pytest.approx(4 * 2.1 + 8 * 1.2)
    assert [(one.entry, one.option, one.needs) for one in found.held_back] == [(1, 0, (("stock of h100", 8.0),))]


def test_fleets_share_nodes_and_whole_ones_are_paid_for_and_must_be_there() -> None:
    tables = [table((0, 4)), table((0, 3))]
    found = choose(tables, KINDS, SharedLimits(whole_nodes=True, max_gpus=(("h100", 8),)))
    assert (found.paid, found.cost) == ((0, 8), pytest.approx(8 * 2.1))
    assert choose(tables, KINDS, SharedLimits(whole_nodes=True, max_gpus=(("h100", 7),))).chosen is None
    assert choose(tables, KINDS, SharedLimits(max_gpus=(("h100", 7),))).chosen == (0, 0)


def test_equals_go_by_cost_then_gpus_then_the_questions_own_order() -> None:
    same = [table((2, 0), (2, 0)), table((2, 0), (2, 0))]
    assert choose(same, KINDS, SharedLimits()).chosen == (0, 0)
    kinds = tuple(replace(one, price=1.0) for one in KINDS)
    assert choose([table((2, 2), (0, 4), (4, 0))], kinds, SharedLimits()).chosen == (0,)
    assert choose([table((8, 0), (0, 8))], KINDS, SharedLimits(), "gpus").chosen == (0,)


def test_limits_that_only_help_together_are_raised_together() -> None:
    found = choose([table((8, 8))], KINDS, SharedLimits(max_gpus=(("a100", 4), ("h100", 4))))
    assert found.chosen is None
    assert [use.would_do for use in found.uses] == [None, None]
    assert found.together == (("stock of a100", 8.0), ("stock of h100", 8.0))


def test_a_stock_of_none_can_be_raised_with_others() -> None:
    found = choose([table((8, 8))], KINDS, SharedLimits(max_gpus=(("a100", 0), ("h100", 4))))
    assert found.chosen is None
    assert found.together == (("stock of a100", 8.0), ("stock of h100", 8.0))


def test_the_stock_of_a_type_that_nobody_can_use_limits_nothing() -> None:
    found = choose([table((1, 0))], KINDS, SharedLimits(max_gpus=(("b200", 1),)))
    assert (found.chosen, found.uses) == ((0,), ())


def test_the_nearest_combination_breaks_the_limits_by_the_least_sum_of_shares() -> None:
    """3 more of 4 A100s are a larger share than 2 more of 8 H100s; what keeps all limits breaks none."""
    limits = SharedLimits(max_gpus=(("a100", 4), ("h100", 8)))
    assert nearest([table((7, 0), (0, 10))], KINDS, limits) == (1,)
    assert nearest([table((7, 0), (0, 10), (1, 1)), table((3, 7))], KINDS, limits) == (2, 0)


def test_the_nearest_combination_that_was_not_tried_is_the_next_nearest() -> None:
    limits = SharedLimits(max_gpus=(("a100", 4),))
    tables, tried = [table((5, 0), (7, 0)), table((1, 0), (2, 0))], list[tuple[int, ...]]()
    for _ in range(4):
        tried.append(nearest(tables, KINDS, limits, tried))
    assert tried == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert nearest(tables, KINDS, limits, tried) == ()
