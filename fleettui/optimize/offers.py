"""What each profile offers for each length range: places, replicas that keep the terms, and why not where none do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.hardware.power import power
from fleettui.optimize import sizing
from fleettui.optimize.ranges import Demanded, Ranges, concurrency, service
from fleettui.optimize.terms import Terms
from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.batching import Service, saturated_rate
from fleettui.queueing.latency import PoolLoad

MEMORY, FLOOR = "memory", "floor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A profile's service of one time slice; rows without a place hold 0 places. Arrays of shape (ranges,)."""

    demanded: Demanded
    places: FloatArray
    service: Service

    def load(self, rows: IntArray, replicas: FloatArray, scale: float = 1.0) -> PoolLoad:
        """Return the load of `rows` at `replicas` each, step times multiplied by `scale`."""
        return self.demanded.load(self.service.pick(rows).scaled(scale), rows, replicas)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One profile's replicas per range (infinite: none suffices), its watts, and the slice that asks for most.

    `fits` marks ranges whose requests a replica can hold at all.
    """

    profile: Profile
    parts: tuple[Part, ...]
    fits: np.ndarray
    replicas: FloatArray
    watts: FloatArray
    governing: IntArray

    @property
    def gpus(self) -> FloatArray:
        """GPUs per range."""
        return self.replicas * self.profile.tp

    @property
    def cost(self) -> FloatArray:
        """US dollars per hour and range."""
        return self.gpus * self.profile.price_per_hour

    def load(self, rows: IntArray, replicas: FloatArray, slice_index: int) -> PoolLoad:
        """Return the load of `rows` in one time slice."""
        return self.parts[slice_index].load(rows, replicas)


def offer(profile: Profile, demanded: Sequence[Demanded], ranges: Ranges, question: Question, terms: Terms) -> Offer:
    """Size `profile` for every range under every time slice."""
    parts = tuple(_part(profile, one, ranges, question) for one in demanded)
    fits = np.all([(part.places >= 1.0) | ~part.demanded.table.occupied for part in parts], axis=0)
    fits &= np.any([part.demanded.table.occupied for part in parts], axis=0)
    needed = np.stack([_sizes(part, fits, terms) for part in parts])
    replicas = np.where(fits, needed.max(axis=0), np.inf)
    watts = np.stack([_watts(profile, part, replicas) for part in parts]).max(axis=0)
    return Offer(
        profile=profile,
        parts=parts,
        fits=fits,
        replicas=replicas,
        watts=watts,
        governing=_governing(parts, fits, needed),
    )


def replicas_at(offer: Offer, rows: IntArray, terms: Terms, scale: float) -> FloatArray:
    """Return the replicas that `rows` need when steps take `scale` times as long; infinite where none suffices."""
    needed = np.ones(len(rows))
    for part in offer.parts:
        busy = np.flatnonzero(part.demanded.table.occupied[rows])
        sizes = sizing.size(part.load(rows[busy], np.ones(len(busy)), scale), terms)
        needed[busy] = np.maximum(needed[busy], sizes)
    return needed


def _part(profile: Profile, demanded: Demanded, ranges: Ranges, question: Question) -> Part:
    places = concurrency(profile, demanded, ranges, question)
    rows = np.flatnonzero(places >= 1.0)
    found = service(profile, demanded, rows, places[rows], question)
    return Part(demanded=demanded, places=places, service=_spread(found, rows, len(places)))


def _spread(found: Service, rows: IntArray, size: int) -> Service:
    """Return `found` laid out over all ranges, NaN where there is no place."""

    def lay(values: FloatArray) -> FloatArray:
        full = np.full(size, np.nan)
        full[rows] = values
        return full

    return Service(
        base=lay(found.base),
        per_context=lay(found.per_context),
        per_prompt=lay(found.per_prompt),
        concurrency=lay(found.concurrency),
        token_budget=lay(found.token_budget),
    )


def _sizes(part: Part, fits: np.ndarray, terms: Terms) -> FloatArray:
    sizes = np.zeros(len(fits))
    rows = np.flatnonzero(fits & part.demanded.table.occupied)
    if len(rows):
        sizes[rows] = sizing.size(part.load(rows, np.ones(len(rows))), terms)
    return sizes


def _governing(parts: Sequence[Part], fits: np.ndarray, needed: FloatArray) -> IntArray:
    """Return, per range, the slice that needs most replicas; among equals the one that fills them most."""
    pressure = np.zeros_like(needed)
    for part, filled in zip(parts, pressure, strict=True):
        rows = np.flatnonzero(fits & part.demanded.table.occupied)
        load = part.load(rows, np.ones(len(rows)))
        filled[rows] = load.arrival_rate / saturated_rate(load.moments, load.service)
    most = needed >= needed.max(axis=0)
    return np.asarray(np.where(most, pressure, -1.0).argmax(axis=0))


def _watts(profile: Profile, part: Part, replicas: FloatArray) -> FloatArray:
    watts = np.zeros(len(replicas))
    rows = np.flatnonzero(np.isfinite(replicas) & part.demanded.table.occupied)
    if len(rows):
        batch = part.load(rows, replicas[rows]).occupancy.batch_over_steps
        watts[rows] = power(profile.power, np.maximum(batch, 1.0)) * replicas[rows] * profile.tp
    return watts
