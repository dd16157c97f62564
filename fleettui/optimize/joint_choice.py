"""One fleet per question out of what each may have, with least cost, GPUs or power within limits that all share.

An integer program: a yes or no for each fleet, one yes for each question, the sums within the limits, and where whole
nodes are paid for a whole number of them by GPU type. It is solved to the optimum (HiGHS, branch and cut), first for
the objective, then among equals for cost, for GPUs, and for the fleets that come first in their questions' own order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp

from fleettui.domain.joint import HeldBack, Joint, JointObjective, Kind, SharedLimits, Use, stock
from fleettui.queueing.arrays import FloatArray, IntArray

SAME = 1e-6
"""Dollars per hour, GPUs or watts by which two combinations may differ and count as equal; the solver's own error."""
INFEASIBLE = 2
"""The solver's status for a program without a solution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What one question may choose from: GPUs by type, shape (fleets, kinds), and watts, shape (fleets,)."""

    gpus: IntArray
    watts: FloatArray


def choose(
    tables: Sequence[Table], kinds: Sequence[Kind], limits: SharedLimits, objective: JointObjective = "cost"
) -> Joint:
    """Return the best combination of one fleet per table within `limits`, or what would make one possible."""
    assert tables, "a choice needs questions"
    assert all(len(table.gpus) for table in tables), "a question without a fleet has no place in a choice"
    program = _Program.of(tables, kinds, limits)
    chosen = program.best(_order(objective))
    if chosen is None:
        return _impossible(program)
    used = program.used(chosen)
    return Joint(
        chosen=chosen,
        paid=tuple(int(used[stock(kind.name)]) for kind in kinds),
        cost=used["cost"],
        power=used["power"],
        uses=tuple(Use(resource=name, used=used[name], most=most) for name, most in program.limits),
        held_back=tuple(_held_back(program, chosen, objective)),
    )


def nearest(
    tables: Sequence[Table], kinds: Sequence[Kind], limits: SharedLimits, without: Sequence[Sequence[int]] = ()
) -> tuple[int, ...]:
    """Return the combination of one fleet per table that breaks `limits` by the least sum of their shares.

    It is none of those in `without`; empty where there is no other.
    """
    program = _Program.of(tables, kinds, limits)
    found = program.nearest(without)
    return () if found is None else program.fleets(found)


def _order(objective: JointObjective) -> tuple[str, ...]:
    """Return the resources of which the answer has least, in turn."""
    return tuple(dict.fromkeys((objective, "cost", "gpus")))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """The integer program. Columns are all tables' fleets one after the other, then nodes by GPU type if whole.

    `resources` are coefficients by name, shape (columns,); `start` is where each table's columns begin. The
    columns keep `lower` <= `held` @ columns <= `upper`: one fleet of each table, nodes for all GPUs.
    """

    tables: tuple[Table, ...]
    kinds: tuple[Kind, ...]
    limits: tuple[tuple[str, float], ...]
    whole_nodes: bool
    start: tuple[int, ...]
    resources: dict[str, FloatArray]
    held: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, tables: Sequence[Table], kinds: Sequence[Kind], limits: SharedLimits) -> _Program:
        fleets = sum(len(table.gpus) for table in tables)
        nodes = len(kinds) if limits.whole_nodes else 0
        gpus = np.zeros((fleets + nodes, len(kinds)))
        gpus[:fleets] = np.concatenate([table.gpus for table in tables])
        sizes = np.array([kind.per_node for kind in kinds], dtype=float)
        paid = gpus.copy()
        if nodes:
            paid[:fleets] = 0.0
            paid[fleets:] = np.diag(sizes)
        watts = np.concatenate([*(table.watts for table in tables), np.zeros(nodes)])
        resources = {stock(kind.name): paid[:, i] for i, kind in enumerate(kinds)}
        resources |= {"gpus": paid.sum(axis=1), "cost": paid @ np.array([one.price for one in kinds]), "power": watts}
        start = np.cumsum([0, *(len(table.gpus) for table in tables)])
        once = np.zeros((len(tables), fleets + nodes))
        for index, (first, last) in enumerate(pairwise(start)):
            once[index, first:last] = 1.0
        held = np.vstack([once, *([(paid - gpus).T] if nodes else [])])  # the nodes hold all GPUs
        lower = np.concatenate([np.ones(len(tables)), np.zeros(nodes)])
        upper = np.concatenate([np.ones(len(tables)), np.full(nodes, np.inf)])
        return cls(
            tables=tuple(tables),
            kinds=tuple(kinds),
            limits=tuple((name, most) for name, most in limits.limits() if name in resources),
            whole_nodes=limits.whole_nodes,
            start=tuple(int(one) for one in start[:-1]),
            resources=resources,
            held=held,
            lower=lower,
            upper=upper,
        )

    def best(self, order: Sequence[str], without: str = "") -> tuple[int, ...] | None:
        """Return the fleet chosen from each table: least of each resource of `order` in turn, then first in rank.

        Limits hold but the one on `without`; None where nothing keeps them.
        """
        kept = [self._at_most(name, most) for name, most in self.limits if name != without]
        ranks = np.concatenate([*(np.arange(len(one.gpus)) for one in self.tables), np.zeros(self._nodes)])
        found = None
        for aim in (*(self.resources[name] for name in order), ranks):
            found = self._least(aim, kept)
            if found is None:
                return None
            kept.append(LinearConstraint(aim[None, :], ub=float(aim @ found) + SAME))
        assert found is not None, "the ranks are always an aim"
        return self.fleets(found)

    def fleets(self, columns: FloatArray) -> tuple[int, ...]:
        """Return the fleet of each table that a solution has."""
        ends = [first + len(table.gpus) for first, table in zip(self.start, self.tables, strict=True)]
        return tuple(int(columns[first:end].argmax()) for first, end in zip(self.start, ends, strict=True))

    def used(self, chosen: Sequence[int]) -> dict[str, float]:
        """Return what a combination uses of each resource, whole nodes counted where they are paid for."""
        gpus = sum(table.gpus[one] for table, one in zip(self.tables, chosen, strict=True))
        watts = float(sum(table.watts[one] for table, one in zip(self.tables, chosen, strict=True)))
        return self.used_by(np.asarray(gpus)[None, :], np.array([watts]))[0]

    def used_by(self, gpus: IntArray, watts: FloatArray) -> list[dict[str, float]]:
        """Return the same for sums of GPUs by type, shape (combinations, kinds), and of watts."""
        sizes = np.array([kind.per_node if self.whole_nodes else 1 for kind in self.kinds])
        paid = -(-gpus // sizes) * sizes
        cost = paid @ np.array([kind.price for kind in self.kinds])
        return [
            {stock(kind.name): float(count) for kind, count in zip(self.kinds, row, strict=True)}
            | {"gpus": float(row.sum()), "cost": float(dollars), "power": float(drawn)}
            for row, dollars, drawn in zip(paid, cost, watts, strict=True)
        ]

    def overloaded(self) -> list[tuple[str, float]]:
        """Return limits that would do where no single one does: the least sum of shares by which they are raised."""
        found = self.nearest()
        assert found is not None, "a program whose limits all give has a solution"
        used = {name: float(self.resources[name] @ found) for name, _ in self.limits}
        return [(name, used[name]) for name, limit in self.limits if used[name] > limit + SAME]

    def nearest(self, without: Sequence[Sequence[int]] = ()) -> FloatArray | None:
        """Return the columns with which the limits have to be raised by the least sum of shares.

        They are none of the combinations in `without`; None where there is no other.
        """
        columns, count = len(self.resources["cost"]), len(self.limits)
        others = np.zeros((len(without), columns + count))
        for row, chosen in zip(others, without, strict=True):
            row[[first + one for first, one in zip(self.start, chosen, strict=True)]] = 1.0
        wide = np.hstack([self.held, np.zeros((len(self.held), count))])
        rows = np.array([np.concatenate([self.resources[name], np.zeros(count)]) for name, _ in self.limits])
        most = np.array([most for _, most in self.limits])
        rows[:, columns:] = -np.diag(np.where(most > 0.0, most, 1.0))  # a stock of none gives by whole GPUs
        found = milp(
            np.concatenate([np.zeros(columns), np.ones(count)]),
            integrality=np.repeat([1, 0], [columns, count]),
            bounds=Bounds(0.0, np.concatenate([self._upper(), np.full(count, np.inf)])),
            constraints=[
                LinearConstraint(wide, self.lower, self.upper),
                LinearConstraint(rows, ub=most),
                LinearConstraint(others, ub=len(self.tables) - 1.0),
            ],
            options={"mip_rel_gap": 0.0},
        )
        return self._solution(found, columns)

    @property
    def _nodes(self) -> int:
        return len(self.kinds) if self.whole_nodes else 0

    def _upper(self) -> FloatArray:
        fleets = len(self.resources["cost"]) - self._nodes
        return np.concatenate([np.ones(fleets), np.full(self._nodes, np.inf)])

    def _at_most(self, name: str, most: float) -> LinearConstraint:
        return LinearConstraint(self.resources[name][None, :], ub=most)

    def _least(self, aim: FloatArray, kept: Sequence[LinearConstraint]) -> FloatArray | None:
        """Return the columns with least of `aim`, None where there are none; raises AssertionError if it gives up."""
        found = milp(
            aim,
            integrality=np.ones(len(aim), np.int64),
            bounds=Bounds(0.0, self._upper()),
            constraints=[LinearConstraint(self.held, self.lower, self.upper), *kept],
            options={"mip_rel_gap": 0.0},
        )
        return self._solution(found, len(aim))

    def _solution(self, found: OptimizeResult, columns: int) -> FloatArray | None:
        """Return the columns that the solver found, None where there are none; raises AssertionError if it gave up."""
        if found.status == INFEASIBLE:
            return None
        assert found.status == 0, f"the solver gave up on {len(self.tables)} questions: {found.message}"
        chosen: FloatArray = np.rint(found.x[:columns])
        return chosen


def _impossible(program: _Program) -> Joint:
    """Return why there is no choice: the smallest limit that would do for each alone, or else several together."""
    uses = []
    for name, most in program.limits:
        found = program.best((name, *(one for one in ("cost", "gpus") if one != name)), without=name)
        needed = None if found is None else program.used(found)[name]
        uses.append(Use(resource=name, used=None, most=most, would_do=needed))
    together = [] if any(use.would_do is not None for use in uses) else program.overloaded()
    return Joint(chosen=None, uses=tuple(uses), together=tuple(together))


def _held_back(program: _Program, chosen: Sequence[int], objective: JointObjective) -> list[HeldBack]:
    """Return the questions for which, all others as chosen, a better fleet breaks a limit, each with its best."""
    now, order = program.used(chosen), _order(objective)
    tables = list(zip(program.tables, chosen, strict=True))
    gpus, watts = sum(t.gpus[one] for t, one in tables), float(sum(t.watts[one] for t, one in tables))
    found = []
    for entry, (table, one) in enumerate(tables):
        uses = program.used_by(gpus - table.gpus[one] + table.gpus, watts - table.watts[one] + table.watts)
        best = min(range(len(uses)), key=lambda i: [round(uses[i][name], 6) for name in order])
        if uses[best][order[0]] < now[order[0]] - 10 * SAME:
            needs = [(name, uses[best][name]) for name, most in program.limits if uses[best][name] > most + SAME]
            assert needs, f"question {entry} has a better fleet, {best}, that breaks no limit"
            found.append(HeldBack(entry=entry, option=best, needs=tuple(needs)))
    return found
