"""A fleet whose roles have GPUs of two types, at the highest rate that keeps every limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fleettui.domain.afd import AfdLayout
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

    def gpu(self, role: Role) -> Gpu:
        """Return the GPU of a role."""
        return self.cheaper if role in self.roles else self.own

    def profiles(self, gpu: Callable[[Role], Gpu]) -> tuple[Profile, Profile]:
        """Return the replicas that prefill and that decode, where `gpu` says each role's; raises InputError."""
        fleet = self.base.apart
        assert fleet is not None, "only fleets that prefill apart have roles"
        first = self._profile(gpu("prefill"), fleet.prefill.tp)
        if not self.base.layout:
            return first, self._profile(gpu("decode"), fleet.decode.tp)
        prices = self._price(gpu("attention")), self._price(gpu("feed-forward"))
        like = self._like
        found = self.replica(gpu).profile(like, prices, mean_context(self.made.slices))
        return first, as_run(found, like)

    def replica(self, gpu: Callable[[Role], Gpu]) -> AfdReplica:
        """Return the replica whose attention and feed-forward layers are apart."""
        roles = gpu("attention"), gpu("feed-forward")
        layout = AfdLayout.read(self.base.layout)
        return afd_replica(layout, roles, self._like, self.made.question, link=self.link)

    @property
    def _like(self) -> Profile:
        return widest(self.made.profiles)

    def _price(self, gpu: Gpu) -> float:
        return self.price if gpu.name == self.cheaper.name else self.made.profiles[0].price_per_hour

    def _profile(self, gpu: Gpu, tp: int) -> Profile:
        found = self.profile_of(gpu, tp, self._price(gpu))
        return replace(found, settings=self.made.profiles[0].settings) if gpu.name == self.own.name else found

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
    base, roles = mixed.base, mixed.roles
    fleet = base.apart
    assert fleet is not None, "only fleets that prefill apart have roles"
    sizes = fleet.prefill.replicas, fleet.decode.replicas
    gpus = _counted(mixed, sizes)
    nothing = Allocation(base=base, roles=roles, gpus=gpus, cost=_cost(mixed, gpus), tokens=0.0, ttft=0.0, tpot=0.0)
    try:
        profiles = mixed.profiles(mixed.gpu)
    except InputError as refusal:
        return replace(nothing, why=refusal.what)
    found = replace(nothing, slower=tuple((role, _slower(mixed, role, sizes)) for role in roles))
    rate = _highest(check, mixed, profiles, sizes)
    pair = mixed.pair(rate, profiles) if rate > 0.0 else None
    if pair is None:
        return found
    figures = pair.figures(*sizes)
    tokens = base.tokens * rate / base.rate
    return replace(found, tokens=tokens, ttft=figures.ttft, tpot=figures.tpot)


def _highest(
    check: Callable[[], None], mixed: Mixed, profiles: tuple[Profile, Profile], sizes: tuple[int, int]
) -> float:
    """Return the highest rate at which so many replicas of each keep every limit, 0 where none does."""

    def holds(rate: float) -> bool:
        check()
        pair = mixed.pair(rate, profiles)
        return pair is not None and pair.holds(*sizes)

    low, high = 0.0, MORE * mixed.base.rate
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _counted(mixed: Mixed, sizes: tuple[int, int]) -> tuple[tuple[str, int], ...]:
    """Return the GPUs of each type, the plan's first."""
    fleet = mixed.base.apart
    assert fleet is not None, "only fleets that prefill apart have roles"
    by: dict[str, int] = {mixed.own.name: 0, mixed.cheaper.name: 0}
    by[mixed.gpu("prefill").name] += sizes[0] * fleet.prefill.tp
    if mixed.base.layout:
        layout = AfdLayout.read(mixed.base.layout)
        by[mixed.gpu("attention").name] += sizes[1] * layout.attention_gpus
        by[mixed.gpu("feed-forward").name] += sizes[1] * layout.feed_forward_gpus
    else:
        by[mixed.gpu("decode").name] += sizes[1] * fleet.decode.tp
    return tuple((name, count) for name, count in by.items() if count)


def _cost(mixed: Mixed, gpus: tuple[tuple[str, int], ...]) -> float:
    own = mixed.made.profiles[0].price_per_hour
    return sum(count * (mixed.price if name == mixed.cheaper.name else own) for name, count in gpus)


def _slower(mixed: Mixed, role: Role, sizes: tuple[int, int]) -> float:
    """Return how many times as long a role takes on its own GPU with the cheaper one's arithmetic, at the base's rate.

    All else is the plan's GPU's, so that the ratio is of arithmetic alone (a matched counterfactual).
    """
    weaker = replace(
        mixed.own,
        peak_bf16=min(mixed.own.peak_bf16, mixed.cheaper.peak_bf16),
        peak_fp8=_least(mixed.own.peak_fp8, mixed.cheaper.peak_fp8),
        peak_int8=_least(mixed.own.peak_int8, mixed.cheaper.peak_int8),
    )
    plain = mixed.profiles(lambda _: mixed.own)
    pair = mixed.pair(mixed.base.rate, plain)
    assert pair is not None, "a point of the frontier keeps its limits"
    batch, held = pair.figures(*sizes).batch, mean_context(mixed.made.slices)

    def seconds(gpu: Callable[[Role], Gpu]) -> float:
        if role in ("attention", "feed-forward"):
            times = mixed.replica(gpu).times(batch, batch, held)
            return float(times.attention if role == "attention" else times.feed_forward)
        first, then = mixed.profiles(gpu)
        if role == "prefill":
            tokens = float(first.settings.token_budget)
            found = step_time(first.step, decodes=0, context_tokens=0, prompt_tokens=tokens)
        else:
            found = step_time(then.step, decodes=batch, context_tokens=batch * held)
        return float(found)

    return seconds(lambda one: weaker if one == role else mixed.own) / seconds(lambda _: mixed.own)


def _least(one: float | None, other: float | None) -> float | None:
    return None if one is None else min(one, other or one)
