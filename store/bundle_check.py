"""What a bundle added, held to itself: the columns that lists show must follow from the bodies that pages show."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, select

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Scenario
from fleettui.domain.workload import Workload
from store import candidates, convert, inputs, plans, replications
from store.bundle_format import refuse
from store.parts import filled
from store.soundness import PROOF, differing
from store.studies import read as read_study
from store.tables import CANDIDATE, PLAN, REPLICATION, SCENARIO, WORKLOAD

LATER = ("method", "ttft", "tpot", "e2e")
"""Columns that a later proof of the plan's answer would give other figures."""


def check_plan(connection: Connection, plan: str, where: str) -> None:
    """Raise InputError unless a plan reads whole and each figure in a column is the one in its body."""
    row = connection.execute(select(PLAN).filter_by(id=plan)).mappings().one()
    if not row["finished"]:
        refuse("a plan in it is not finished", where)
    answer = plans.read(connection, plan)
    scenario = inputs.get(connection, SCENARIO, Scenario, row["scenario"])
    found = convert.from_answer(answer, rank=row["answer_rank"], finished=True)
    found |= convert.from_slo(scenario.question.slo)
    found |= {"workload": inputs.get(connection, WORKLOAD, Workload, scenario.workload).name}
    found |= {"candidates": candidates.count(connection, plan)}
    _compare(PLAN, row, {name: value for name, value in found.items() if name not in LATER}, where)
    own = connection.execute(select(CANDIDATE).filter_by(plan=plan)).mappings().all()
    for one, whole in zip(own, filled(connection, plan, own), strict=True):
        value = convert.decode_figures(Candidate, whole["body"])
        made = convert.from_candidate(value, plan=plan, rank=one["rank"], body=one["body"])
        _compare(CANDIDATE, one, {name: made[name] for name in made if name not in ("id", "handle")}, where)
        _check_proof(connection, one["id"], where)


def check_study(connection: Connection, study: str, where: str) -> None:
    """Raise InputError unless a study reads."""
    if not read_study(connection, study).title:
        refuse("a study in it has no title", where)


def _check_proof(connection: Connection, candidate: str, where: str) -> None:
    """Raise InputError unless the simulations of a candidate read and their columns follow from their bodies."""
    for table, made in PROOF.items():
        for one in connection.execute(select(table).filter_by(candidate=candidate)).mappings():
            _compare(table, one, made(one["body"]), where)
    for seed in connection.scalars(select(REPLICATION.c.seed).filter_by(candidate=candidate).distinct()).all():
        try:
            replications.read(connection, candidate, seed, histograms=True)
        except (ValueError, IndexError, ArithmeticError, zlib.error):
            refuse("a histogram does not read", where)


def _compare(table: Table, row: Mapping[Any, Any], made: Mapping[str, Any], where: str) -> None:
    if name := differing(row, made):
        refuse(f"the {name} of a {table.name} is not the one in its body", where)
