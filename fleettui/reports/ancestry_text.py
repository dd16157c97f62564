"""Where a plan comes from and what was made of it, a line each: its parents, itself, and the plans forked from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fleettui.domain.plan_row import PlanRow
from fleettui.reports import units
from fleettui.reports.row_text import row_verdict
from fleettui.reports.table import WIDTH, wrap

INDENT, GAP = "  ", "   "
NO_KIN = "forked from no plan, and none from it"
HERE = "this plan"
EARLIER, MORE = "... earlier ones", "... and more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """A plan of a family, `depth` steps below its first; `changes` are what it has that its parent had not."""

    row: PlanRow
    depth: int
    changes: tuple[str, ...] = ()
    before: PlanRow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A plan's parents from the first on, the plan called `plan` (an id), and its children, oldest first.

    `earlier` tells that there are parents before the first, `more` that there are children after the last.
    """

    plan: str
    relatives: tuple[Relative, ...]
    earlier: bool = False
    more: bool = False

    @property
    def alone(self) -> bool:
        """Whether the plan has neither a parent nor a child."""
        return len(self.relatives) < 2


def family_lines(family: Family, width: int = WIDTH) -> Mapping[str, str]:
    """Return each plan by its id, in a line or, where it takes more, in some that are indented."""
    return {
        one.row.id: "\n".join(_indented(_told(one, here=one.row.id == family.plan), one.depth, width))
        for one in family.relatives
    }


def family_text(family: Family, width: int = WIDTH) -> str:
    """Return the lines together; one plan alone says that it is."""
    if family.alone:
        row = family.relatives[0].row
        return "\n".join(wrap(f"{_name(row)}: {NO_KIN}", width))
    ends = EARLIER if family.earlier else "", MORE if family.more else ""
    return "\n".join(filter(None, (ends[0], *family_lines(family, width).values(), ends[1])))


def _indented(words: str, depth: int, width: int) -> list[str]:
    """Return words as deep as their plan; what they take beyond a line stands deeper than the plans below."""
    name, _, rest = words.partition(GAP)
    line = f"{INDENT * depth}{words}"
    if len(line) <= width:
        return [line]
    deeper = INDENT * (depth + 2)
    return [*wrap(name, width, INDENT * depth), *wrap(rest, width, deeper)]


def _told(one: Relative, *, here: bool) -> str:
    words = f"{_name(one.row)}{f' ({HERE})' if here else ''}{' (archived)' if one.row.archived else ''}"
    changed = (*one.changes, *_moved(one.before, one.row))
    return GAP.join(filter(None, (words, "; ".join((*changed, _come_to(one.row, brief=bool(changed)))))))


def _name(row: PlanRow) -> str:
    return f"{row.handle} {row.name}".strip()


def _moved(before: PlanRow | None, row: PlanRow) -> tuple[str, ...]:
    """Return by how much a plan needs more or less than its parent; nothing where either has no fleet."""
    if before is None or before.gpus is None or row.gpus is None:
        return ()
    gpus, cost = row.gpus - before.gpus, (row.cost_per_hour or 0.0) - (before.cost_per_hour or 0.0)
    price = f"{'-' if cost < 0 else '+'}{units.dollars(abs(cost))}/h" if cost else ""
    words = " ".join(filter(None, (f"{gpus:+,} GPUs" if gpus else "", price)))
    return (words,) if words else ()


def _come_to(row: PlanRow, *, brief: bool) -> str:
    """Return what a plan came to: its GPUs and its price unless that is told already, and its verdict."""
    by_formula = row.method == "formula" and row.verdict in ("pass", "fail")
    verdict = row_verdict(row, by_formula=by_formula) if row.finished else "not finished"
    if brief or row.gpus is None or row.cost_per_hour is None:
        return verdict
    return f"{units.count(row.gpus)} GPUs {units.dollars_per_hour(row.cost_per_hour)} {verdict}"
