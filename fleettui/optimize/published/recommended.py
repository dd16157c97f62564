"""What our own method says of a published cell's question: our physics, formulas without simulation.

The question is kept: the lengths with four fifths prompt, the rate, the limit, the split and the price of one GPU. Each
pool is planned by itself, since an SLO must hold in each; a model that needs several GPUs gets them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.demand import Demand
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.workload import Atom
from fleettui.hardware.paper_profiles import SETTINGS, paper_profile
from fleettui.optimize.paper import GAMMAS
from fleettui.optimize.plan import find_plan
from fleettui.optimize.published.cell_figures import FleetFound, PoolFound, figure, last_rate
from fleettui.optimize.published.cell_questions import (
    A100,
    FACTOR,
    Asked,
    Compressed,
    Curtailed,
    Disaggregated,
    FleetAsked,
    Found,
    OfFleet,
    OfLengths,
    OneReplica,
    Repaired,
    Routed,
    RunsOut,
    SimulatedPool,
)
from fleettui.optimize.published.curtailed import curtailed
from fleettui.optimize.published.one_replica import by_ours
from fleettui.optimize.published.separate import Separate, separate
from fleettui.queueing.availability import all_up, availability, mean_count, spares
from fleettui.routing.length_pools import route

MODEL = "llama-3.1-70b"
RATE = 1000.0
ALMOST_NONE = 1e-3
"""Requests/s at which a replica is alone with each request."""
REPLICAS, TARGET = 20, 0.99
"""The pool and the share of time that the note on availability takes as its example."""
THEIRS = "there prompts are free and a GPU is a node"
Profiles = Callable[[Question], Sequence[Profile]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPool:
    """A pool's question with its requests, what was planned for it, and whether that keeps the limit."""

    question: Question
    atoms: tuple[Atom, ...]
    rate: float
    candidate: Candidate
    holds: bool


class Recommended:
    """Our method over length distributions, given as {workload: atoms}; `profiles` are those that a question allows."""

    def __init__(self, atoms: Mapping[str, Sequence[Atom]], profiles: Profiles) -> None:
        self._atoms, self._profiles = atoms, profiles
        self._planned: dict[FleetAsked, tuple[PlannedPool, ...]] = {}
        self._separate: dict[Disaggregated, Separate] = {}

    def answer(self, asked: Asked) -> Found:
        """Return our number and why it is not the papers', in one line; None where no fleet of theirs could do it."""
        match asked:
            case OfFleet(figure="saving"):
                found = self._saving(asked)
            case OfFleet():
                found = Found(value=_finite(figure(asked, self._fleet)), note=self._words(asked.fleet, asked.pool))
            case SimulatedPool():
                found = self.answer(OfFleet(fleet=asked.fleet, figure=asked.figure, pool=asked.pool))
            case OfLengths():
                found = self._of_lengths(asked)
            case RunsOut(fleet=fleet):
                value = last_rate(lambda rate: self._fleet(replace(fleet, rate=rate)).gpus, fleet.rate)
                note = f"our {self._fleet(fleet).gpus} GPUs for {fleet.rate:g}/s last so far"
                found = Found(value=value, note=note)
            case Disaggregated():
                found = self._disaggregated(asked)
            case Curtailed():
                question = _question(asked.rate, asked.gpu, Slo())
                found = curtailed(asked, question, self._within(asked), self._profiles(question))
            case Repaired():
                found = _repaired(asked)
            case OneReplica():
                question = _question(1.0, asked.gpu, Slo())
                node = max(self._profiles(question), key=lambda profile: profile.tp)
                found = by_ours(asked, question, node)
            case Compressed() | Routed():
                raise AssertionError("a compressor is timed, and a router simulated, where it is")
        return found

    def planned(self, asked: FleetAsked) -> tuple[PlannedPool, ...]:
        """Return the pools of our fleet in order of length, the compressed requests' work counted."""
        if asked not in self._planned:
            ranges = [(0, asked.context)] if asked.cut is None else [(0, asked.cut), (asked.cut, asked.context)]
            atoms = self._within(asked)
            whole = sum(atom[0] for atom in atoms)
            gamma = 1.0 if asked.gamma is None else asked.gamma
            parts = route(atoms, ranges, gamma=gamma, compressible=asked.compressible)
            self._planned[asked] = tuple(
                self._plan(asked, gpu, part, asked.rate * sum(atom[0] for atom in part) / whole)
                for gpu, part in zip((asked.gpus * len(parts))[-len(parts) :], parts, strict=True)
                if part
            )
        return self._planned[asked]

    def routed(self, asked: Routed) -> FleetAsked:
        """Return our fleet of a router: as the papers' behind it, each pool sized for what it gets."""
        if asked.router == "random":
            return replace(asked.fleet, cut=None)
        return replace(asked.fleet, gamma=FACTOR) if asked.router == "compress" else asked.fleet

    def words_of(self, asked: FleetAsked) -> str:
        """Return which of our fleets a question gets, and what is impossible about it."""
        return self._words(asked, None)

    def _within(self, asked: FleetAsked | Curtailed) -> tuple[Atom, ...]:
        """Return the workload's atoms, those beyond the context cut to it, as the papers' draws do."""
        return tuple(_shortened(atom, asked.context) for atom in self._atoms[asked.workload])

    def _plan(self, asked: FleetAsked, gpu: str, atoms: tuple[Atom, ...], rate: float) -> PlannedPool:
        question = _question(rate, gpu, Slo(ttft=asked.slo))
        for limited in (question, replace(question, slo=Slo())):
            found = self._find(limited, atoms, rate)
            if found is not None:
                holds = limited.slo == question.slo
                return PlannedPool(question=limited, atoms=atoms, rate=rate, candidate=found, holds=holds)
        raise AssertionError(f"without limits some fleet of {gpu} serves any load")

    def _find(self, question: Question, atoms: Sequence[Atom], rate: float) -> Candidate | None:
        """Return the cheapest single pool for these requests, None where the question is infeasible."""
        longest = math.ceil(max(atom[1] + atom[2] for atom in atoms))
        profiles = self._profiles(question)
        return find_plan(question, slices=[(rate, atoms)], profiles=profiles, grid=(), context=longest).answer

    def _saving(self, asked: OfFleet) -> Found:
        """Return the saving; where either fleet cannot keep the limit, that of the load alone, which is comparable."""
        assert asked.against is not None, "a saving is against another fleet"
        chosen = self._settled(asked.fleet)
        if all(pool.holds for one in (chosen, asked.against) for pool in self.planned(one)):
            return Found(value=figure(asked, self._fleet), note=f"{THEIRS}; both of ours keep the limit")
        alone = replace(asked, fleet=replace(asked.fleet, slo=None), against=replace(asked.against, slo=None))
        note = (
            f"{THEIRS}; ours by load alone for both fleets, since {asked.fleet.slo:g} s cannot be held everywhere: "
            "our $/yr, which hold it where they can, do not compare"
        )
        return Found(value=figure(alone, self._fleet), note=note)

    def _settled(self, asked: FleetAsked) -> FleetAsked:
        """Return the question with the factor of compression that a sweep ends at."""
        return asked if asked.gamma is not None else replace(asked, gamma=self._fleet(asked).gamma)

    def _fleet(self, asked: FleetAsked) -> FleetFound:
        if asked.gamma is None:
            swept = [self._fleet(replace(asked, gamma=gamma)) for gamma in GAMMAS]
            return min(swept, key=lambda fleet: fleet.cost_per_hour)
        pools = self.planned(asked)
        found = tuple(_found(pool) for pool in pools)
        empty = (_NO_POOL,) * ((1 if asked.cut is None else 2) - len(found))  # compression may leave no long request
        return FleetFound(pools=found + empty, gamma=asked.gamma)

    def _words(self, asked: FleetAsked, pool: int | None) -> str:
        """Return which fleet the number is of, and what is impossible about it."""
        pools = self.planned(self._settled(asked))
        chosen = [one for place, one in enumerate(pools) if pool is None or place == pool]
        words = " + ".join(_words(one) for one in chosen) or "no request left"
        impossible = [one for one in chosen if not one.holds]
        if not impossible:
            return f"{THEIRS}; ours {words}"
        alone = max(self._alone(one) for one in impossible)
        limit = f"{asked.slo:g} s is out of reach, an idle replica's P99 is {alone:.2f} s"
        return f"{THEIRS}; ours {words} (* by load alone: {limit})"

    def _alone(self, pool: PlannedPool) -> float:
        """Return the P99 TTFT of the fastest replica when nobody else is there, in seconds."""
        times = []
        for profile in self._profiles(pool.question):
            longest = math.ceil(max(atom[1] + atom[2] for atom in pool.atoms))
            found = find_plan(
                pool.question, slices=[(ALMOST_NONE, pool.atoms)], profiles=[profile], grid=(), context=longest
            )
            times += [] if found.answer is None else [found.answer.pools[0].ttft]
        return min(times)

    def _of_lengths(self, asked: OfLengths) -> Found:
        atoms = self._atoms[asked.workload]
        totals = np.array([(weight, prompt + output) for weight, prompt, output in atoms])
        if asked.figure != "cliff":
            above, up_to = (0, asked.cut) if asked.figure == "share" else (asked.cut, int(asked.gamma * asked.cut))
            inside = (totals[:, 1] > above) & (totals[:, 1] <= up_to)
            return Found(value=float(totals[inside, 0].sum() / totals[:, 0].sum()), note="the same lengths")
        pools = self.planned(FleetAsked(workload=asked.workload, rate=RATE, gpus=(A100,), cut=asked.cut))
        short, long = (pool.candidate.fleet.pools[0].concurrency for pool in pools)
        note = f"theirs reserves the whole context; by blocks really used {short} against {long} places"
        return Found(value=short / long, note=note)

    def _disaggregated(self, asked: Disaggregated) -> Found:
        key = replace(asked, figure="replicas")
        if key not in self._separate:
            first, second = (
                _question(asked.rate, gpu, Slo(tpot=asked.slo_tpot)) for gpu in (asked.prefill, asked.decode)
            )
            self._separate[key] = separate(key, first, second, self._profiles)
        found = self._separate[key]
        return Found(value=found.figure(asked.figure), note=found.words)


_NO_POOL = PoolFound(gpus=0, cost_per_hour=0.0, utilization=0.0, ttft=0.0, claimed_ttft=0.0, concurrency=0)


def _question(rate: float, gpu: str, slo: Slo) -> Question:
    price = ((gpu, paper_profile(gpu).price_per_hour),)
    demand = Demand(form="rate", rate=rate)
    return Question(
        demand=demand,
        slo=slo,
        model=MODEL,
        gpus=(gpu,),
        prices=price,
        pools=(1,),
        front_end=0.0,
        max_num_seqs=SETTINGS.max_num_seqs,
        token_budget=SETTINGS.token_budget,
        step_law="roofline",
        verify=False,
    )


def _shortened(atom: Atom, context: int) -> Atom:
    weight, prompt, output = atom
    return atom if prompt + output <= context else (weight, context - output, output)


def _found(pool: PlannedPool) -> PoolFound:
    figures, deployed = pool.candidate.pools[0], pool.candidate.fleet.pools[0]
    return PoolFound(
        gpus=pool.candidate.gpus,
        cost_per_hour=pool.candidate.cost_per_hour,
        utilization=figures.utilization,
        ttft=figures.ttft,
        claimed_ttft=figures.ttft,
        concurrency=deployed.concurrency,
    )


def _words(planned: PlannedPool) -> str:
    """Return replicas x GPUs of each, marked where the limit cannot be kept."""
    (pool,) = planned.candidate.fleet.pools
    return f"{pool.replicas} x {pool.tp} {pool.gpu.upper()}{'' if planned.holds else '*'}"


def _repaired(asked: Repaired) -> Found:
    up = availability(asked.failures_per_day, asked.repair)
    held = mean_count(REPLICAS, up)
    enough = REPLICAS + spares(REPLICAS, up, TARGET)
    note = (
        f"the same; for {REPLICAS} nodes ceil(G/A) = {held} suffices {all_up(REPLICAS, held, up):.1%} of the time, "
        f"{TARGET:.0%} takes {enough}"
    )
    return Found(value=up, note=note)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
