"""What a router declares: how requests find their pool, and inside it their replica.

A declaration loads no arrays, since the options and the app read it: what cuts a length distribution is named by text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any, Protocol, TypeAlias, cast

from fleettui.domain.workload import Atom
from fleettui.routing.view import Coming, PoolSeen, Sights

LONGEST_NAME, LONGEST_CAUTION = 16, 78
"""Letters of a router's name, and of what is to be known of it, that warnings of one line have room for."""
Ranges: TypeAlias = Sequence[tuple[int, int]]
"""(above, up_to] of each pool in total tokens, each range beginning where the one before ends."""
Parts: TypeAlias = tuple[tuple[Atom, ...], ...]
"""The atoms of each pool."""


class Choose(Protocol):
    """Which replica of its pool a request goes to, in the subset of Python that numba compiles.

    The twin calls the function as it stands, the kernel in machine code, so it may call no other function of ours. What
    it is given, and all that this has, stands in `view`.
    """

    def __call__(self, state: Sights, pool: PoolSeen, request: Coming, /) -> int:
        """Return a replica's number, `pool.start` ≤ number < `pool.start + pool.replicas`; it is `state.seen[number]`.

        The time now is `request.arrival`.
        """


class Across(Protocol):
    """Which pool a request goes to, in the subset of Python that numba compiles."""

    def __call__(self, pools: Sequence[PoolSeen], request: Coming, /) -> int:
        """Return a pool's place among `pools`, `request.pool` ≤ place: its own, or a longer one, which holds it too."""


def stay(pools: Sequence[PoolSeen], request: Coming, /) -> int:  # noqa: ARG001
    """Return the request's own pool: what a router does that sends to no other."""
    return int(request.pool)


class Route(Protocol):
    """Which requests of a length distribution go to which pool."""

    def __call__(
        self, atoms: Sequence[Atom], ranges: Ranges, *, gamma: float = 1.0, compressible: float = 1.0
    ) -> Parts:
        """Return the atoms of each of `ranges`, their weights adding up to those of `atoms`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Router:
    """A router: its name, one line of help, and where it sends a request inside a pool, in words and by `choose`.

    `one_queue` says what the formulas assume: the replicas of a pool serve one queue, or each a Poisson stream of its
    own; `differs` says how waits are in truth, "" where the assumption is what the router does.
    `knows` names what it decides by at each replica, "" where by nothing; where it does not always know that,
    `counts` says whether it adds what it sends between two looks. It `remembers` so many tokens of prompts of each
    replica that it sent there, those sent last; that helps where prefixes are cached alone. It is `of_sessions` where
    it knows which rounds are of one session, in which requests must come then. It keeps `together` what begins alike,
    so that one replica holds it. `pools` names the function that cuts a length distribution into the pools' parts.
    `across` chooses the pool by the present loads or by the request's class, None where a request always goes to the
    pool of its length; it is `of_classes` where the class decides, and then on offer where requests are of two
    classes alone. It `compresses` where it has prompts rewritten for a shorter pool, by the fleet's own factor.
    Otherwise pools do not meet in an open loop. What the formulas make of a pool rests on `one_queue`, `together`,
    whether it `knows` anything, and `of_classes`.
    """

    name: str
    help: str
    sends: str
    choose: Choose
    one_queue: bool
    differs: str = ""
    knows: str = ""
    counts: bool = False
    remembers: int = 0
    of_sessions: bool = False
    together: bool = False
    pools: str = "fleettui.routing.length_pools:route"
    across: Across | None = None
    of_classes: bool = False
    compresses: bool = False

    def __post_init__(self) -> None:
        assert len(self.name) <= LONGEST_NAME, f"router {self.name}: a name has {LONGEST_NAME} letters at most"
        told = f"router {self.name}: `differs` is {len(self.caution) - LONGEST_CAUTION} letters too long for one line"
        assert len(self.caution) <= LONGEST_CAUTION, told

    @property
    def meets(self) -> bool:
        """Whether requests of one pool's lengths are served in another."""
        return self.across is not None or self.compresses

    @property
    def sees_memory(self) -> bool:
        """Whether its rule reads what is `used` of replicas' memory, which is not counted for others."""
        return "used" in cast(Any, self.choose).__code__.co_names

    @property
    def caution(self) -> str:
        """What a reader of the formulas' figures must know, "" where they assume what the router does."""
        return self.differs and f"router {self.name}: {self.differs} than told; verify tells"

    @property
    def route(self) -> Route:
        """What cuts a length distribution."""
        return cast(Route, resolve_name(self.pools))
