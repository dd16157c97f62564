"""What a profile does where its replicas only prefill, or only decode: its loads, and the fewest that keep up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from fleettui.domain.disagg import AT_ONCE, CacheSize, Handover
from fleettui.domain.fleet import Pool
from fleettui.domain.hardware import Profile, StepTable
from fleettui.domain.limit import TPOT
from fleettui.domain.roles import DECODE, PREFILL
from fleettui.domain.scenario import Question
from fleettui.hardware.kv_transfer import bytes_of
from fleettui.hardware.role_steps import decoding, prefilling
from fleettui.hardware.table_cost import TableLines
from fleettui.optimize import sizing
from fleettui.optimize.built_pool import pool_of
from fleettui.optimize.bursts import bursts_of
from fleettui.optimize.hardware_use import bandwidth_use, mfu
from fleettui.optimize.prompt_times import prompt_times
from fleettui.optimize.ranges import Demanded, Ranges, Slices, concurrency, service
from fleettui.optimize.terms import Terms
from fleettui.queueing.arrays import BoolArray, FloatArray
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import Atoms, RequestTable, uncached_tokens
from fleettui.queueing.service import Service
from fleettui.queueing.tandem import PrefillLoad
from fleettui.routing import ROUTERS

ROW = np.zeros(1, np.int64)
FULL = 1.0 + 1e-9


class DecodesAlone(TableLines):
    """The steps of a replica in which nobody prefills: prompts add nothing to them."""

    def prompting(
        self,
        decodes: FloatArray,
        context: FloatArray,
        chunks: FloatArray,
        chunk: FloatArray,
        pairs: FloatArray,
        *,
        alone: bool = False,
    ) -> FloatArray:
        """Return nothing for any prompt."""
        del context, chunk, pairs, alone
        return np.zeros(np.broadcast(decodes, chunks).shape)

    def behind(self, decodes: FloatArray, chunks: FloatArray, chunk: FloatArray) -> FloatArray:
        """Return nothing of nothing."""
        del chunk
        return np.zeros(np.broadcast(decodes, chunks).shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """One time slice by atom: weights that add up to 1, output tokens, and the bytes that are moved; its rate."""

    rate: float
    weight: FloatArray
    output: FloatArray
    bytes: FloatArray

    @classmethod
    def of(cls, rate: float, table: RequestTable, cache: CacheSize) -> Stretch:
        """Return the slice of a table's requests, in its order."""
        return cls(rate=rate, weight=table.weight, output=table.output, bytes=bytes_of(cache, table.prompt))


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillRole:
    """A profile that prefills: one load per slice, its engine as a pool, and the fewest replicas that keep up."""

    profile: Profile
    pool: Pool
    loads: tuple[PrefillLoad, ...]
    least: int

    def at(self, replicas: int) -> list[PrefillLoad]:
        """Return the loads of so many replicas."""
        return [one.resized(float(replicas * self.profile.batches)) for one in self.loads]


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """The requests of a slice whose prompts stay with the replica that decodes them.

    They are a `share` of all requests, and `rows` says which atoms of its load.
    """

    share: float
    rows: BoolArray


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeRole:
    """A profile that decodes: one load per slice, its engine as a pool, and the fewest replicas that keep TPOT.

    `short` are the requests of each slice that it prefills, too.
    """

    profile: Profile
    pool: Pool
    loads: tuple[PoolLoad, ...]
    least: int
    short: tuple[Short, ...]
    _sized: dict[int, list[PoolLoad]] = field(default_factory=dict)

    def at(self, replicas: int) -> list[PoolLoad]:
        """Return the loads of so many replicas; what was worked out of them stays with them."""
        if replicas not in self._sized:
            self._sized[replicas] = [one.resized(np.array([float(replicas)])) for one in self.loads]
        return self._sized[replicas]


def prefill_role(profile: Profile, question: Question, slices: Slices, context: int) -> PrefillRole | None:
    """Return what a profile does where it only prefills; None where it cannot hold a request.

    Its steps are longer than a co-located replica's, as measured ones are.
    """
    profile = prefilling(profile)
    budget, terms = profile.settled(question).token_budget, Terms.of(question)
    loads, pools = [], []
    for rate, atoms in slices:
        demanded = _demanded(rate, atoms, question, context, chunk=budget, prefix_hit=question.prefix_hit)
        places = concurrency(profile, demanded, demanded.ranges, question)
        if places[0] < 1.0:
            return None
        engine = service(profile, demanded, ROW, places, question)
        pools.append(_pool(PREFILL, profile, engine, question, context))
        loads.append(_prefill_load(profile, demanded, engine, question))
        _check_prefill(profile, demanded, loads[-1])
    work = max(one.utilization for one in loads)
    return PrefillRole(
        profile=profile,
        pool=pools[0],
        loads=tuple(loads),
        least=max(1, int(np.ceil(work / terms.max_utilization - 1e-9))),
    )


def _prefill_load(profile: Profile, demanded: Demanded, engine: Service, question: Question) -> PrefillLoad:
    """Return the load of one replica."""
    table, budget = demanded.requests, profile.settled(question).token_budget
    times = prompt_times(profile.step, engine, budget, table)
    return PrefillLoad(
        weight=table.weight,
        alone=times.alone,
        packed=times.packed,
        fixed=times.fixed,
        turns=table.prefill_steps,
        full=float(table.weight @ table.uncached) / budget,
        rate=demanded.rate,
        lanes=float(profile.batches),
        one_queue=demanded.one_queue,
        times=times.rounds,
        excess=None if demanded.bursts is None else demanded.bursts.of_part(np.asarray(demanded.rate)),
    )


def _check_prefill(profile: Profile, demanded: Demanded, load: PrefillLoad) -> None:
    """Hold full steps of prompts to what the hardware can do; AssertionError where they are faster."""
    moments = demanded.moments.pick(ROW)
    flops = profile.flops_per_token * moments.uncached + profile.attention_flops * moments.pairs
    use = float(flops[0]) * profile.batches / (float(load.weight @ load.packed) * profile.peak)
    assert use <= FULL, f"prefill at {use:.0%} of the peak of {profile.name}: no hardware does that"


def longer(slices: Slices, prefix_hit: float, short: int) -> list[tuple[float, Atoms]]:
    """Return the slices of requests with more than `short` prompt tokens to compute, none of a slice without any.

    >>> longer([(2.0, [(1.0, 100.0, 5.0), (3.0, 900.0, 5.0)])], 0.5, 50)
    [(1.5, [(3.0, 900.0, 5.0)])]
    """
    found: list[tuple[float, Atoms]] = []
    for rate, atoms in slices:
        some = [one for one in atoms if not _stays(one, prefix_hit, short)]
        if some:
            found.append((rate * sum(one[0] for one in some) / sum(one[0] for one in atoms), some))
    return found


def _stays(atom: tuple[float, float, float], prefix_hit: float, short: int) -> bool:
    return bool(uncached_tokens(np.asarray(atom[1]), prefix_hit) <= short)


def decode_role(
    profile: Profile, question: Question, slices: Slices, context: int, handover: Handover = AT_ONCE
) -> DecodeRole | None:
    """Return what a profile does where it only decodes; None where no number of replicas keeps a TPOT limit.

    None too where a slice has nothing to decode. Its batches are the co-located model's with nothing for prompts; they
    hold prompt and output from the start. Its steps are longer than a co-located replica's, as measured ones are.
    Where short prompts stay with it, its steps have those.
    """
    profile = decoding(profile, question.api_token)
    settings, terms = profile.settled(question), Terms.of(question)
    own = replace(terms, limits=tuple(terms.on(TPOT.name)))
    loads, pools, shorts, least = [], [], [], 1
    for rate, atoms in slices:
        work = _decoding(atoms, question.prefix_hit, handover)
        if not work.atoms:
            return None
        demanded = _demanded(
            rate * work.share, work.atoms, question, context, chunk=settings.token_budget, prefix_hit=work.hits
        )
        places = concurrency(profile, demanded, demanded.ranges, question)
        if places[0] < 1.0:
            return None
        engine = service(profile, demanded, ROW, places, question)
        pools.append(_pool(DECODE, profile, engine, question, context))
        load = demanded.load(engine if work.short.share else _without_prompts(profile, engine), ROW, np.ones(1))
        needed = float(sizing.size(load, own)[0])
        if not np.isfinite(needed):
            return None
        least = max(least, int(needed))
        loads.append(load)
        shorts.append(work.short)
    found = DecodeRole(profile=profile, pool=pools[0], loads=tuple(loads), least=least, short=tuple(shorts))
    for load in found.at(least):
        mfu(load, profile)
        bandwidth_use(load, profile)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decoding:
    """What a decode pool gets of a slice, in order of total length: a `share` of its requests.

    `hits` are the parts of prompts that it need not compute, of all or of each.
    """

    atoms: Atoms
    share: float
    hits: float | FloatArray
    short: Short


def _decoding(atoms: Atoms, prefix_hit: float, handover: Handover) -> _Decoding:
    stay = [one for one in atoms if _stays(one, prefix_hit, handover.short)]
    go = decoded([one for one in atoms if not _stays(one, prefix_hit, handover.short)], handover.sent)
    every = sum(one[0] for one in atoms)
    rows = sorted([(*one, 1.0) for one in go] + [(*one, prefix_hit) for one in stay], key=lambda row: row[1] + row[2])
    hits = np.array([row[3] for row in rows])
    return _Decoding(
        atoms=[row[:3] for row in rows],
        share=sum(row[0] for row in rows) / every,
        hits=hits if stay else 1.0,
        short=Short(share=sum(one[0] for one in stay) / every, rows=hits < 1.0),
    )


def decoded(atoms: Atoms, sent: int = 1) -> tuple[tuple[float, float, float], ...]:
    """Return the requests that are decoded, as (weight, prompt and first token, further tokens).

    The first token comes from the prefill, so that a request of one token is not decoded. Of an atom with a mean
    between one and two tokens the part of the second is. Where none is `sent` by the prefill, all of them are decoded,
    and of its prompt the last token is computed again.

    >>> decoded([(1.0, 50.0, 1.0)], 0)
    ((1.0, 50.0, 1.0),)
    >>> decoded([(1.0, 100.0, 5.0), (1.0, 50.0, 1.0), (1.0, 50.0, 1.25)])
    ((1.0, 101.0, 4.0), (0.25, 51.0, 1.0))
    """
    if not sent:
        return tuple(atoms)
    return tuple(
        (weight * min(output - 1.0, 1.0), prompt + 1.0, max(output - 1.0, 1.0))
        for weight, prompt, output in atoms
        if output > 1.0
    )


def _without_prompts(profile: Profile, engine: Service) -> Service:
    """Return an engine whose steps have decodes alone."""
    steps = DecodesAlone(profile.step) if isinstance(profile.step, StepTable) else None
    return replace(engine, per_prompt=np.zeros_like(engine.per_prompt), steps=steps, alone=False)


def _demanded(
    rate: float, atoms: Atoms, question: Question, context: int, *, chunk: int, prefix_hit: float | FloatArray
) -> Demanded:
    return Demanded.of(
        rate,
        atoms,
        Ranges.of((), context + 1),
        chunk=chunk,
        prefix_hit=prefix_hit,
        one_queue=ROUTERS.named(question.router).one_queue,
        bursts=bursts_of(question, rate),
    )


def _pool(name: str, profile: Profile, engine: Service, question: Question, context: int) -> Pool:
    """Return a pool of one replica."""
    return pool_of(profile, profile.settled(question), engine, 0, name=name, replicas=1, lengths=(0, context))


def roles(
    profiles: Iterable[Profile], question: Question, slices: Slices, context: int, handover: Handover = AT_ONCE
) -> tuple[list[PrefillRole], list[DecodeRole]]:
    """Return what each profile does in either role, where it can; pipelines are left out."""
    some = [one for one in profiles if one.pp == 1]
    passed_on = longer(slices, question.prefix_hit, handover.short)
    prefills = [prefill_role(one, question, passed_on, context) for one in some]
    decodes = [decode_role(one, question, slices, context, handover) for one in some]
    return [one for one in prefills if one is not None], [one for one in decodes if one is not None]


def stretches(role: PrefillRole, question: Question, slices: Slices, cache: CacheSize) -> list[Stretch]:
    """Return the time slices by atom, in the order of a role's loads."""
    budget = role.pool.token_budget
    return [
        Stretch.of(rate, RequestTable.of(atoms, chunk=budget, prefix_hit=question.prefix_hit), cache)
        for rate, atoms in slices
    ]
