"""Two studies of one kind side by side: the cells in which they differ, each row found by what names it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fleettui.domain.study import Cell, Study, StudyColumn, StudyTable
from fleettui.errors import InputError


def study_changes(old: Study, new: Study) -> Study:
    """Return what differs between two studies of one kind as a study that is not kept; raises InputError for others."""
    if old.kind != new.kind:
        raise InputError(
            "studies of two kinds have nothing to compare",
            value=f"{old.kind} and {new.kind}",
            accepted="two of one kind",
        )
    before = {table.title: table for table in old.tables}
    pairs = [(before[table.title], table) for table in new.tables if table.title in before]
    handles = old.handle, new.handle
    tables = tuple(table for one, other in pairs for table in _changes(one, other, handles))
    return Study(
        kind=new.kind,
        title=f"{new.title}: {new.handle} beside {old.handle}",
        question=new.question,
        plan=new.plan,
        sentences=tuple(_sentences(old, new, len(tables))),
        tables=tables,
        warnings=tuple(_warnings(old, new, len(pairs))),
    )


def _sentences(old: Study, new: Study, differing: int) -> Iterator[str]:
    if not differing:
        yield f"{old.handle} and {new.handle} say the same" if old.tables == new.tables else "no row of one is in both"
    gone = [one for one in old.sentences if one not in new.sentences]
    come = [one for one in new.sentences if one not in old.sentences]
    yield from (f"{old.handle}: {one}" for one in gone)
    yield from (f"{new.handle}: {one}" for one in come)


def _warnings(old: Study, new: Study, both: int) -> Iterator[str]:
    if old.question != new.question:
        yield f"asked: {old.question}; and: {new.question}"
    if old.engine_version != new.engine_version:
        yield f"made by engines {old.engine_version} and {new.engine_version}: figures may differ for that alone"
    alone = len(old.tables) + len(new.tables) - 2 * both
    if alone:
        yield f"{alone} table{'s are' if alone > 1 else ' is'} in one of them only"


def _changes(old: StudyTable, new: StudyTable, handles: tuple[str, str]) -> Iterator[StudyTable]:
    """Yield a table for each figure in which rows that stand in both tables differ: what names the row, both values."""
    keys = _keys(old, new)
    before, after = _by_key(old, keys), _by_key(new, keys)
    both = [key for key in after if key in before]
    lost, come = len(before) - len(both), len(after) - len(both)
    note = f"rows only in {handles[0]}: {lost}, only in {handles[1]}: {come}" if lost or come else ""
    named = {column.name: column for column in new.columns}
    for name in [one.name for one in old.columns if one.name in named and one.name not in keys]:
        pairs = [(key, before[key][name], after[key][name]) for key in both]
        rows = tuple((*key, *cells) for key, *cells in pairs if not _same(*cells))
        if rows:
            figures = (StudyColumn(name=handle, quantity=named[name].quantity) for handle in handles)
            columns = (*(named[key] for key in keys), *figures)
            yield StudyTable(
                title=f"{name.replace('_', ' ')}; {new.title}", columns=columns, rows=rows, note=note, drawn=new.drawn
            )


def _keys(old: StudyTable, new: StudyTable) -> list[str]:
    """Return the columns that name a row: the first ones, as many as it takes to tell the rows of both tables apart."""
    shared = [column.name for column in new.columns if column.name in {one.name for one in old.columns}]
    for count in range(1, len(shared)):
        if all(len(_by_key(table, shared[:count])) == len(table.rows) for table in (old, new)):
            return shared[:count]
    return shared


def _by_key(table: StudyTable, keys: Sequence[str]) -> dict[tuple[Cell, ...], dict[str, Cell]]:
    return {tuple(row[name] for name in keys): row for row in table.records()}


def _same(one: Cell, other: Cell) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other)
    return one == other
