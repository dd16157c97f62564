"""Replications: single runs of a candidate, each written whole with its histograms, never changed."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from fleettui.domain.simulation import Replication
from store import convert
from store.identity import timestamp
from store.tables import HISTOGRAM, REPLICATION


def add(connection: Connection, candidate: str, seed: int, replication: Replication, *, moment: datetime) -> None:
    """Write a replication of the candidate with this id. One that is there must be the same, by its digest."""
    key: dict[str, Any] = {"candidate": candidate, "seed": seed, "position": replication.index}
    digest = connection.scalar(select(REPLICATION.c.digest).filter_by(**key))
    if digest is not None:
        assert digest == replication.digest, (
            f"replication {key} is stored with digest {digest}, not {replication.digest}"
        )
        return
    columns = convert.from_replication(replication)
    connection.execute(insert(REPLICATION).values(**key | columns, created=timestamp(moment)))
    if histograms := [key | one for one in convert.from_histograms(replication)]:
        connection.execute(insert(HISTOGRAM), histograms)


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
