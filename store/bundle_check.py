"""What a bundle added, held to itself: the columns that lists show must follow from the bodies that pages show."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, select

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Scenario
from fleettui.domain.workload import Workload
from store import candidates, convert, inputs, names, plans, replications
from store.bundle_format import refuse
from store.plan_row import LATENCIES
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
    ranks = sorted(rank for block in candidates.blocks(connection, plan) for rank in block.ranks)
    named = set(connection.scalars(select(CANDIDATE.c.rank).filter_by(plan=plan)))
    whole = ranks == [*names.ranks(connection, plan)]
    if not whole or not named.issubset(ranks) or not named.issuperset(ranks[: names.NAMED]):
        refuse("the names of a plan's candidates are not those of its figures", where)
    answer = plans.read(connection, plan)
    scenario = inputs.get(connection, SCENARIO, Scenario, row["scenario"])
    found = convert.from_answer(answer, rank=row["answer_rank"], finished=True)
    found |= convert.from_slo(scenario.question.slo)
    found |= {"workload": inputs.get(connection, WORKLOAD, Workload, scenario.workload).name}
    found |= {"candidates": len(ranks)}
    _compare(PLAN, row, {name: value for name, value in found.items() if name not in LATER}, where)
    block_of = candidates.blocks_of(connection, plan)
    for one in candidates.rows(connection, plan):
        value = convert.decode_figures(Candidate, one["body"])
        for latency in LATENCIES:
            if block_of(one["rank"]).worst(one["rank"], latency) != convert.worst(value, latency):
                refuse(f"the {latency} of a candidate is not the one of its pools", where)
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
