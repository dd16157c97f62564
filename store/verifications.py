"""Verifications: what the replications of a candidate came to, one for each time they were judged."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, insert, select

from fleettui.domain.plan import Evidence
from store import convert, handles, names
from store.identity import timestamp
from store.tables import VERIFICATION


def add(connection: Connection, candidate: str, evidence: Evidence, *, moment: datetime, randomness: int) -> None:
    """Write the newest evidence for the candidate with this id, which counts from now on."""
    assert evidence.seed is not None, "a verification tells the root of its draws"
    names.keep(connection, candidate)
    (identifier,) = handles.ids(connection, 1, moment=moment, randomness=randomness)
    columns = convert.from_evidence(evidence)
    key = {"id": identifier, "candidate": candidate, "created": timestamp(moment)}
    connection.execute(insert(VERIFICATION).values(**key | columns))


def read(connection: Connection, candidate: str) -> tuple[Evidence, ...]:
    """Return the verifications of the candidate with this id, oldest first."""
    query = select(VERIFICATION.c.body).filter_by(candidate=candidate).order_by(VERIFICATION.c.id)
    return tuple(convert.decode_figures(Evidence, body) for body in connection.scalars(query))
