"""Replications: single runs of a candidate, each written whole with its histograms, never changed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from store import convert, names
from store.identity import timestamp
from store.insertion import Insertion
from store.tables import HISTOGRAM, REPLICATION

if TYPE_CHECKING:
    from fleettui.domain.simulation import Replication

_DIGEST = "SELECT digest FROM replication WHERE candidate = :candidate AND seed = :seed AND position = :position"
_insert, _insert_histograms = Insertion(REPLICATION), Insertion(HISTOGRAM)


@dataclass(frozen=True, slots=True)
class Rows:
    """A replication as rows, all but the time; making them takes longer than writing them."""

    key: dict[str, Any]
    columns: dict[str, Any]
    histograms: list[dict[str, Any]]

    @classmethod
    def of(cls, candidate: str, seed: int, replication: Replication) -> Rows:
        """Return the rows of a replication of the candidate with this id."""
        key = {"candidate": candidate, "seed": seed, "position": replication.index}
        histograms = [key | one for one in convert.from_histograms(replication)]
        return cls(key, convert.from_replication(replication), histograms)


def add(connection: Connection, rows: Rows, *, moment: datetime) -> None:
    """Write a replication. One that is there must be the same, by its digest."""
    known = connection.exec_driver_sql(_DIGEST, rows.key).scalar()
    if known is not None:
        digest = rows.columns["digest"]
        assert known == digest, f"replication {rows.key} is stored with digest {known}, not {digest}"
        return
    names.keep(connection, rows.key["candidate"])
    _insert(connection, [rows.key | rows.columns | {"created": timestamp(moment)}])
    _insert_histograms(connection, rows.histograms)


def read(connection: Connection, candidate: str, seed: int, *, histograms: bool) -> tuple[Replication, ...]:
    """Return the candidate's replications by index, with their histograms if asked."""
    query = select(REPLICATION.c.position, REPLICATION.c.body).filter_by(candidate=candidate, seed=seed)
    found = connection.execute(query.order_by(REPLICATION.c.position)).mappings().all()
    spread = _histograms(connection, candidate, seed) if histograms else {}
    return tuple(convert.to_replication(row["body"], spread.get(row["position"], ())) for row in found)


def _histograms(connection: Connection, candidate: str, seed: int) -> dict[int, list[convert.Row]]:
    own = select(HISTOGRAM).filter_by(candidate=candidate, seed=seed)
    by_replication = defaultdict[int, list[convert.Row]](list)
    for row in connection.execute(own.order_by(HISTOGRAM.c.pool, HISTOGRAM.c.place)).mappings():
        by_replication[row["position"]].append(row)
    return by_replication
