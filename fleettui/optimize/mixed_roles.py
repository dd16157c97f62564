"""A fleet whose roles have GPUs of two types, at the highest rate that keeps every limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fleettui.architectures import ARCHITECTURES
from fleettui.architectures.architecture import GpuOf, Replicas
from fleettui.domain.afd import AfdLayout
from fleettui.domain.disagg import DisaggFleet
from fleettui.domain.fleet import Pool
from fleettui.domain.frontier import FrontierPoint
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.hetero import Allocation, Role
from fleettui.errors import InputError
from fleettui.hardware.afd import AfdReplica
from fleettui.hardware.kv_transfer import links_between
from fleettui.hardware.step_cost import step_time
from fleettui.optimize.afd_replicas import afd_replica, as_run, mean_context, widest
from fleettui.optimize.architectures import Architectures
from fleettui.optimize.disagg_pair import Pair
from fleettui.optimize.disagg_roles import decode_role, prefill_role
from fleettui.optimize.ranges import Slices

HALVINGS = 8
"""Times that the span of rates is halved: to half a percent of it."""
MORE = 2.0
"""Part of the base's rate up to which the highest is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixed:
    """A point of the frontier with the `roles` on the `cheaper` GPU, which costs `price` US dollars an hour.

    `slices_at` returns the requests at a rate, `profile_of` a replica of so many GPUs of a type at a price; a typed
    `link` is of a whole replica.
    """

    base: FrontierPoint
    made: Architectures
    own: Gpu
    cheaper: Gpu
    price: float
    roles: tuple[Role, ...]
    slices_at: Callable[[float], Slices]
    profile_of: Callable[[Gpu, int, float], Profile]
    link: float | None = None

    @property
    def fleet(self) -> DisaggFleet:
        """The base's fleet."""
        assert self.base.apart is not None, "only fleets of two sides have roles"
        return self.base.apart

    @property
    def sizes(self) -> tuple[int, int]:
        """Replicas of either side."""
        return self.fleet.prefill.replicas, self.fleet.decode.replicas

    @property
    def sides(self) -> tuple[tuple[Replicas, Pool, str], ...]:
        """Both sides with their pools and layouts, in the order of a request's way."""
        architecture, (prefill, decode) = ARCHITECTURES.named(self.base.architecture), self.fleet.pools
        assert architecture.then is not None, "only fleets of two sides have roles"
        return (architecture.first, prefill, ""), (architecture.then, decode, self.base.layout)

    def gpu(self, role: Role) -> Gpu:
        """Return the GPU of a role."""
        return self.cheaper if role in self.roles else self.own

    def profiles(self, gpu: GpuOf) -> tuple[Profile, Profile]:
        """Return the replicas that prefill and that decode, where `gpu` says each role's; raises InputError."""
        first, then = (side.remade(self, pool, layout, gpu) for side, pool, layout in self.sides)
        return first, then

    def plain(self, gpu: Gpu, tp: int) -> Profile:
        """Return a replica of so many GPUs, the plan's own engine where the GPU is; raises InputError."""
        found = self.profile_of(gpu, tp, self._price(gpu))
        return replace(found, settings=self.made.profiles[0].settings) if gpu.name == self.own.name else found

    def attention_apart(self, layout: str, gpus: tuple[Gpu, Gpu]) -> Profile:
        """Return an AFD replica with the GPUs of attention and of feed-forward; raises InputError."""
        attention, feed_forward = (self._price(one) for one in gpus)
        like = widest(self.made.profiles)
        found = self._afd(layout, gpus).profile(like, (attention, feed_forward), mean_context(self.made.slices))
        return as_run(found, like)

    def step_seconds(self, profile: Profile, *, decodes: float, prompt: float) -> float:
        """Return the seconds of a replica's step with so many decodes and prompt tokens."""
        held = decodes * mean_context(self.made.slices)
        return float(step_time(profile.step, decodes=decodes, context_tokens=held, prompt_tokens=prompt))

    def layer_seconds(self, layout: str, gpus: tuple[Gpu, Gpu], decodes: float) -> tuple[float, float]:
        """Return the seconds of attention and of feed-forward in a layer of an AFD replica."""
        times = self._afd(layout, gpus).times(decodes, decodes, mean_context(self.made.slices))
        return float(times.attention), float(times.feed_forward)

    def role_seconds(self, role: Role, gpu: GpuOf, decodes: float) -> float:
        """Return what a role takes of a step, in seconds that compare with those on other GPUs."""
        side, pool, layout = next(one for one in self.sides if role in one[0].roles)
        return side.seconds(self, pool, layout, gpu, decodes)[side.roles.index(role)]

    def _afd(self, layout: str, gpus: tuple[Gpu, Gpu]) -> AfdReplica:
        like = widest(self.made.profiles)
        return afd_replica(AfdLayout.read(layout), gpus, like, self.made.question, link=self.link)

    def _price(self, gpu: Gpu) -> float:
        return self.price if gpu.name == self.cheaper.name else self.made.profiles[0].price_per_hour

    def pair(self, rate: float, profiles: tuple[Profile, Profile]) -> Pair | None:
        """Return both replicas at a rate; None where either cannot hold its requests or keep its limit."""
        made = replace(self.made, slices=self.slices_at(rate))
        gpus = {self.own.name: self.own, self.cheaper.name: self.cheaper}
        made = replace(made, links_of=lambda one, other: links_between(one, other, gpus, self.link))
        prefill = prefill_role(profiles[0], made.question, made.slices, made.context)
        decode = decode_role(profiles[1], made.question, made.slices, made.context)
        return None if prefill is None or decode is None else made.pair(prefill, decode)


def allocation(mixed: Mixed, check: Callable[[], None]) -> Allocation:
    """Return the point with the roles on the cheaper GPU, at its highest rate that holds every limit.

    `check` is called now and then, and may raise.
    """
    base, roles, sizes = mixed.base, mixed.roles, mixed.sizes
    gpus = _counted(mixed)
    nothing = Allocation(base=base, roles=roles, gpus=gpus, cost=_cost(mixed, gpus), tokens=0.0, ttft=0.0, tpot=0.0)
    try:
        profiles = mixed.profiles(mixed.gpu)
    except InputError as refusal:
        return replace(nothing, why=refusal.what)
    found = replace(nothing, slower=_slower(mixed) if roles else ())
    rate = _highest(check, mixed, profiles)
    pair = mixed.pair(rate, profiles) if rate > 0.0 else None
    if pair is None:
        return found
    figures = pair.figures(*sizes)
    tokens = base.tokens * rate / base.rate
    return replace(found, tokens=tokens, ttft=figures.ttft, tpot=figures.tpot)


def _highest(check: Callable[[], None], mixed: Mixed, profiles: tuple[Profile, Profile]) -> float:
    """Return the highest rate at which the base's replicas of each keep every limit, 0 where they keep none."""

    def holds(rate: float) -> bool:
        check()
        pair = mixed.pair(rate, profiles)
        return pair is not None and pair.holds(*mixed.sizes)

    low, high = 0.0, MORE * mixed.base.rate
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _counted(mixed: Mixed) -> tuple[tuple[str, int], ...]:
    """Return the GPUs of each type, the plan's first."""
    by: dict[str, int] = {mixed.own.name: 0, mixed.cheaper.name: 0}
    for side, pool, layout in mixed.sides:
        for role, gpus in zip(side.roles, side.sizes(pool, layout), strict=True):
            by[mixed.gpu(role).name] += pool.replicas * gpus
    return tuple((name, count) for name, count in by.items() if count)


def _cost(mixed: Mixed, gpus: tuple[tuple[str, int], ...]) -> float:
    own = mixed.made.profiles[0].price_per_hour
    return sum(count * (mixed.price if name == mixed.cheaper.name else own) for name, count in gpus)


def _slower(mixed: Mixed) -> tuple[tuple[Role, float], ...]:
    """Return how many times as long each role takes with the cheaper GPU's arithmetic, at the base's rate.

    All else is the plan's GPU's, so that the ratio is of arithmetic alone (a matched counterfactual).
    """
    weaker = replace(
        mixed.own,
        peak_bf16=min(mixed.own.peak_bf16, mixed.cheaper.peak_bf16),
        peak_fp8=_least(mixed.own.peak_fp8, mixed.cheaper.peak_fp8),
        peak_int8=_least(mixed.own.peak_int8, mixed.cheaper.peak_int8),
    )
    pair = mixed.pair(mixed.base.rate, mixed.profiles(lambda _: mixed.own))
    assert pair is not None, "a point of the frontier keeps its limits"
    batch = pair.figures(*mixed.sizes).batch

    def ratio(role: Role) -> float:
        slower = mixed.role_seconds(role, lambda one: weaker if one == role else mixed.own, batch)
        return slower / mixed.role_seconds(role, lambda _: mixed.own, batch)

    return tuple((role, ratio(role)) for role in mixed.roles)


def _least(one: float | None, other: float | None) -> float | None:
    return None if one is None else min(one, other or one)
