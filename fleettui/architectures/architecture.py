"""What a serving architecture declares: what people are told of it, and the replicas that its fleets are made of.

A declaration loads no arrays, since the options and the app read it. What replicas do is asked of an engine: of a Bench
where fleets of one GPU type are scored, of a Workshop where roles are given another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool
    from fleettui.domain.hardware import Gpu, Profile

GpuOf: TypeAlias = "Callable[[str], Gpu]"
"""The GPU of a role, by the role's name."""
Built: TypeAlias = "tuple[str, Profile]"
"""A replica by its layout, which is empty where it is told by its pool alone."""


class Bench(Protocol):
    """The replicas of one GPU type of which fleets are built."""

    @property
    def profiles(self) -> Sequence[Profile]:
        """Those that can do all of a request."""

    @property
    def afd(self) -> Sequence[Built]:
        """Those that only decode, with GPUs of their own for attention, by layout."""


class Workshop(Protocol):
    """Replicas whose roles have GPUs of two types; a decode holds the mean context of the requests."""

    def plain(self, gpu: Gpu, tp: int) -> Profile:
        """Return a replica of so many GPUs; raises InputError where they do not hold the model."""

    def attention_apart(self, layout: str, gpus: tuple[Gpu, Gpu]) -> Profile:
        """Return an AFD replica with the GPUs of attention and of feed-forward; raises InputError, too."""

    def step_seconds(self, profile: Profile, *, decodes: float, prompt: float) -> float:
        """Return the seconds of a replica's step with so many decodes and prompt tokens."""

    def layer_seconds(self, layout: str, gpus: tuple[Gpu, Gpu], decodes: float) -> tuple[float, float]:
        """Return the seconds of attention and of feed-forward in a layer of an AFD replica."""


class Replicas(Protocol):
    """One side of a fleet: replicas that prefill, that decode, or that do both. Equal values build equal replicas."""

    @property
    def roles(self) -> tuple[str, ...]:
        """What GPUs of a replica do, each of which may have a type of its own."""

    def built(self, bench: Bench) -> Iterable[Built]:
        """Return every replica that a bench has for this side."""

    def told(self, pool: Pool, layout: str) -> str:
        """Return a replica in a few signs."""

    def sizes(self, pool: Pool, layout: str) -> tuple[int, ...]:
        """Return a replica's GPUs of each role."""

    def remade(self, shop: Workshop, pool: Pool, layout: str, gpu_of: GpuOf) -> Profile:
        """Return a pool's replica with the GPUs of its roles; raises InputError where they do not hold the model."""

    def seconds(self, shop: Workshop, pool: Pool, layout: str, gpu_of: GpuOf, decodes: float) -> tuple[float, ...]:
        """Return what each role takes of a step, in seconds that compare with those on other GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """An architecture: its name, what tables call it, and what it is like in a few words.

    A fleet has one pool of replicas that serve a request whole, or those of the `first` side pass it on to the `then`
    side. `swaps` are the roles that are given a cheaper GPU together. A plan's own fleet is of it where no `study`
    sizes it beside one; `refusal` says why not. `caution` is what a reader of its figures must know.
    """

    name: str
    label: str
    help: str
    first: Replicas
    then: Replicas | None = None
    swaps: tuple[tuple[str, ...], ...] = ()
    study: Literal["", "disagg", "frontier"] = "frontier"
    refusal: str = "the replicas of a plan's fleet prefill and decode both: it has no pools of one role to deploy"
    caution: str = ""

    def __post_init__(self) -> None:
        known = (*self.first.roles, *(() if self.then is None else self.then.roles))
        unknown = {role for some in self.swaps for role in some} - set(known)
        assert not unknown, f"{self.name} has no roles {sorted(unknown)} to swap"
        assert self.then is not None or not self.swaps, f"a replica of {self.name} is of one GPU type"

    @property
    def command(self) -> str:
        """What is typed to see it sized after a plan."""
        return f"fleettui {self.study} last"
