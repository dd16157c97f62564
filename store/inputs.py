"""Workloads, profiles, scenarios and provenance: written once under the digest of their content, never changed."""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.dialects.sqlite import insert

from fleettui.domain.digest import digest_of
from fleettui.domain.hardware import Profile
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Scenario
from fleettui.domain.serialization import dumps
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from store import tables
from store.convert import decode

Value = TypeVar("Value")


def put_workload(connection: Connection, workload: Workload) -> str:
    """Keep a workload and return its digest."""
    return _put(connection, tables.WORKLOAD, workload, name=workload.name)


def put_profile(connection: Connection, profile: Profile) -> str:
    """Keep a profile and return its digest."""
    return _put(connection, tables.PROFILE, profile, gpu=profile.gpu, model=profile.model)


def put_provenance(connection: Connection, provenance: Provenance) -> str:
    """Keep a provenance and return its digest."""
    return _put(connection, tables.PROVENANCE, provenance)


def put_scenario(connection: Connection, scenario: Scenario) -> str:
    """Keep a scenario, without its question's name, and return its digest; what it refers to must be there."""
    wanted = set(scenario.profiles)
    column = tables.PROFILE.c.digest
    found = set(connection.scalars(select(column).where(column.in_(wanted))))
    assert found == wanted, f"the scenario's profiles are not in the store: {sorted(wanted - found)}"
    known = select(func.count()).where(tables.WORKLOAD.c.digest == scenario.workload)
    assert connection.scalar(known), f"the scenario's workload is not in the store: {scenario.workload}"
    return _put(connection, tables.SCENARIO, scenario.named(""), workload=scenario.workload)


def get(connection: Connection, table: Table, kind: type[Value], key: str) -> Value:
    """Return the input of `kind` under the digest `key`; raises InputError when there is none."""
    body = connection.scalar(select(table.c.body).where(table.c.digest == key))
    if body is None:
        raise InputError(f"the store holds no such {table.name}", value=key, accepted="the digest of a stored one")
    return decode(kind, body)


def _put(connection: Connection, table: Table, value: object, **columns: Any) -> str:
    body = dumps(value)
    key = digest_of(body)
    statement = insert(table).values(digest=key, body=body, **columns)
    connection.execute(statement.on_conflict_do_nothing(index_elements=["digest"]))
    return key
