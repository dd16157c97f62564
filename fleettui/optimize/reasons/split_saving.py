"""What a split really saves, by the identity of model.md §8.

The load of a fleet, in replicas that are busy all the time, is w·Σ λ_p·E[I_p]/n_p + λ·(h·E[KVS] + P·E[L_in′]): cutting
the lengths into pools can change the first term alone. Both terms are given for one pool and for the split, under both
ways of admission, on one kind of replica, beside the fleets that they come to, without spare replicas and in single
GPUs, whatever the question has of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet, counted
from fleettui.domain.plan import Candidate, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.study import StudyTable, table_of
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.reasons.inputs import PROOFS, Ground, hardware, words
from fleettui.optimize.spares import share_up
from fleettui.queueing.batching import moving, stepping
from fleettui.scheduling import SCHEDULERS

CENT = 0.005
"""Dollars an hour below which two costs read alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A fleet's load in busy replicas: `stepping` w·Σ λE[I]/n, `moving` λ(hE[KVS] + PE[L_in′]), and `budget`.

    `budget` is what the token budget asks for beyond the two where it binds, 0 elsewhere.
    """

    stepping: float
    moving: float
    budget: float

    @property
    def total(self) -> float:
        """The load in all: utilization times replicas, summed over the pools."""
        return self.stepping + self.moving + self.budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The cheapest fleet of one pool, or of the split, under one admission; None where no such fleet holds."""

    admission: str
    pools: int
    candidate: Candidate | None
    work: Work | None


def work_of(ground: Ground, fixed: ScoredFleet) -> Work:
    """Return the identity's terms for a scored fleet."""
    steps = rest = budget = 0.0
    for place in range(len(fixed.candidate.fleet.pools)):
        load = ground.load(fixed, place)
        o, rate = load.occupancy, float(load.arrival_rate[0])
        steps += rate * float(stepping(load.moments, load.service)[0])
        rest += rate * float(moving(load.moments, load.service)[0])
        budget += float(load.lanes[0]) * float(o.utilization[0] - o.by_sequences[0])
    return Work(stepping=steps, moving=rest, budget=budget)


def split_saving(ground: Ground, fleet: Fleet) -> tuple[Split, ...]:
    """Return one pool and the split under each admission, on the replicas that serve the longest requests.

    The split is the fleet's own, or the cheapest of two pools where it has none.
    """
    found = []
    for reserves in (False, True):  # all that the formulas tell apart
        admission = next(one.name for one in SCHEDULERS if one.reserves is reserves)
        for pools in (1, max(2, len(fleet.pools))):
            best = ground.best(asked(ground.question, fleet, admission, pools))
            work = None if best is None else work_of(ground, ground.standing(best))
            found.append(Split(admission=admission, pools=pools, candidate=best, work=work))
    return tuple(found)


def asked(question: Question, fleet: Fleet, admission: str, pools: int) -> Question:
    """Return the question for one of the fleets: latency limits as they are, no limit on money, power or stock."""
    replica = fleet.pools[-1]
    own = tuple(pool.up_to for pool in fleet.pools[:-1])
    return replace(
        question,
        admission=admission,
        pools=(pools,),
        splits=own if pools > 1 and own else question.splits if pools > 1 else (),
        gamma=(fleet.gamma, fleet.gamma) if pools > 1 else (1.0, 1.0),
        gpus=(replica.gpu,),
        tp=(replica.tp,),
        pp=(replica.pp,),
        dtype=replica.dtype,
        max_gpus=(),
        max_total_gpus=None,
        budget=None,
        max_power=None,
        max_feed=None,
        whole_nodes=False,
        availability=None,
        failures=None,
        repair=None,
        rack=None,
        objective="cost",
    )


def sentences(found: Sequence[Split], fleet: Fleet, question: Question) -> tuple[str, ...]:
    """Return what the split saves under each admission, on the replicas of `fleet` that all of them have.

    What is left out of `question` is said.
    """
    replica, plain = fleet.pools[-1], _left_out(question)
    held = f"on {replica.gpu.upper()} {replica.division} alone"
    return tuple(
        _saved(admission, [one for one in found if one.admission == admission], held, plain)
        for admission in dict.fromkeys(one.admission for one in found)
    )


def failed_elsewhere(ground: Ground, divided: Candidate) -> Candidate | None:
    """Return the fleet of the same GPUs that failed as simulated, divided nearest to where a fleet is; None if none."""
    alike = [one for one in ground.proofs.values() if hardware(one) == hardware(divided)]
    failed = [one for one in alike if one.fleet != divided.fleet and ground.verdict(one.fleet) == "fail"]
    return min(failed, key=lambda one: _apart(one, divided), default=None)


def as_ranked(
    answer: Candidate,
    divided: Candidate,
    found: Sequence[Split],
    verdict: Verdict | None = None,
    failed: Candidate | None = None,
) -> str:
    """Return what the best ranked fleet of several pools, `divided`, costs beside an `answer` of one.

    The plan ranks by the formula alone, and `verdict` is that of a simulation of that fleet, where there is one; where
    there is none it is told which one of the same GPUs `failed`, divided elsewhere. What is `found` is as simulations
    correct it. Empty where the two agree.
    """
    split = next((one.candidate for one in found if one.admission == divided.fleet.admission and one.pools > 1), None)
    alike = {pool.replica_key for fleet in (answer, divided) for pool in fleet.fleet.pools}
    if split is None or (len(alike) == 1 and divided.cost_per_hour > split.cost_per_hour - CENT):
        return ""
    more = divided.cost_per_hour - answer.cost_per_hour
    than = f"${abs(more):.2f}/h {'more' if more > 0 else 'less'} than the answer"
    money = "the same cost as the answer" if abs(more) < CENT else than
    told = f"the best split that the plan ranks, {words(divided)}, has {counted(divided.gpus)}, {money}"
    corrected = f"; as simulations correct it, {words(split)} is the least that holds" if len(alike) == 1 else ""
    known = PROOFS[verdict] if verdict else f"by the formula alone{_but(divided, failed)}"
    return f"{told}, {known}{corrected}"


def _but(divided: Candidate, failed: Candidate | None) -> str:
    """Return that a fleet fails as simulated where it divides otherwise, nothing where none was seen to."""
    if failed is None:
        return ""
    here, there = (", ".join(f"{end:,}" for end in _ends(one)) for one in (divided, failed))
    return f", divided at {here} tokens, but fails as simulated at {there}"


def _ends(one: Candidate) -> list[int]:
    """Return up to how many tokens each pool but the last serves."""
    return [pool.up_to for pool in one.fleet.pools[:-1]]


def _apart(one: Candidate, other: Candidate) -> int:
    return sum(abs(first - second) for first, second in zip(_ends(one), _ends(other), strict=True))


def _left_out(question: Question) -> str:
    """Return what the fleets that are compared do without though the question asks for it, "" where it is nothing."""
    spares = ["without spare replicas"] if share_up(question) is not None else []
    return ", ".join(spares + ["in single GPUs"] * question.whole_nodes)


def _saved(admission: str, pair: Sequence[Split], held: str, plain: str) -> str:
    one, split = pair
    if one.candidate is None or split.candidate is None or one.work is None or split.work is None:
        which = "one pool" if one.candidate is None else "the split"
        return f"under {admission} admission no fleet of {which} keeps the limits {held}"
    bounds = ", ".join(str(pool.up_to) for pool in split.candidate.fleet.pools[:-1])
    before, after = one.work.total, split.work.total
    gpus, money = (
        one.candidate.gpus - split.candidate.gpus,
        one.candidate.cost_per_hour - split.candidate.cost_per_hour,
    )
    verb = "saves" if gpus > 0 else "costs" if gpus < 0 else "changes"
    amount = f"{counted(abs(gpus))}, ${abs(money):.2f}/h" if gpus else "no GPU count"
    amount += f" ({plain})" if plain else ""
    share = round(after / before - 1.0, 3) or 0.0
    moved = f"the work goes from {before:.2f} to {after:.2f} busy replicas ({share:+.1%})"
    same = f"the work stays at {before:.2f} busy replicas"
    return (
        f"under {admission} admission the split at {bounds} {verb} {amount}, {held} and by formula: "
        f"{moved if share else same}"
    )


def table(found: Sequence[Split], fleet: Fleet, question: Question) -> StudyTable:
    """Return both terms and what they come to; what is left out of `question` is said."""
    replica = fleet.pools[-1]
    mixed = len({(pool.gpu, pool.tp) for pool in fleet.pools}) > 1
    note = (
        f"by formula, on {replica.gpu} {replica.division}, in busy replicas: steps = w*sum(rate*E[I]/n), cache and "
        "prompts = rate*(h*E[KVS] + P*E[L_in']); a split can change the first alone, but for a decode's own "
        "arithmetic, which h holds and which depends on the places"
    )
    if plain := _left_out(question):
        note += f"; {plain}"
    if mixed:
        note += "; what this plan saves beyond that is its other hardware"
    return table_of(
        "what a split saves",
        found,
        ("admission", "text", lambda one: one.admission),
        ("pools", "count", lambda one: one.pools),
        ("steps", "number", lambda one: one.work.stepping if one.work else None),
        ("cache_and_prompts", "number", lambda one: one.work.moving if one.work else None),
        ("budget", "number", lambda one: one.work.budget if one.work else None),
        ("work", "number", lambda one: one.work.total if one.work else None),
        ("gpus", "count", lambda one: one.candidate.gpus if one.candidate else None),
        ("cost_per_hour", "dollars per hour", lambda one: one.candidate.cost_per_hour if one.candidate else None),
        note=note,
    )
