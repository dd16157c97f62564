"""A rollout of reinforcement learning: trajectories that begin at once, on a layout of replicas that may be switched.

While many decode, narrow replicas, of which there are many, give most tokens; when few are left, wide ones end them
sooner (Frontier, Section 6.4). The switch takes a pause, in which weights and caches are moved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fleettui.domain import checks
from fleettui.domain.fleet import PoolSketch
from fleettui.domain.plan import Estimate
from fleettui.errors import InputError

NEVER, FROM_THE_START = 0.0, 1.0
"""The thresholds that stand for no switch, and for the second layout alone."""
MOST_TRAJECTORIES = 100_000
_TAIL = re.compile(r"(\d+(?:\.\d+)?)%x(\d+(?:\.\d+)?)")
_LAYOUT = re.compile(r"(?:tp)?(\d{1,2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """The `share` of trajectories whose outputs are `factor` times as long as the workload's.

    >>> Tail.read("5%x8")
    Tail(share=0.05, factor=8.0)
    >>> Tail.read("0%x1").text
    '0%x1'
    """

    share: float
    factor: float

    def __post_init__(self) -> None:
        checks.share("share of long trajectories", self.share)
        checks.FROM_ONE.check("factor of long outputs", self.factor)

    @classmethod
    def read(cls, text: str) -> Tail:
        """Return the tail that a text says; raises InputError with the way to write one."""
        found = _TAIL.fullmatch(text.replace(" ", "").lower())
        if found is None:
            raise InputError(
                "this says no tail", where="--tail", value=text, accepted="a share and a factor: 5%x8, or 0%x1 for none"
            )
        return cls(share=float(found[1]) / 100.0, factor=float(found[2]))

    @property
    def text(self) -> str:
        """How it is typed."""
        return f"{100.0 * self.share:g}%x{self.factor:g}"


def layout(text: str, where: str) -> int:
    """Return the GPUs of a replica that a layout says, as tp4 or 4; raises InputError.

    >>> layout("tp4", "--to"), layout("8", "--to")
    (4, 8)
    """
    found = _LAYOUT.fullmatch(text.strip().lower())
    if found is None or int(found[1]) == 0:
        raise InputError("this says no layout", where=where, value=text, accepted="tp and GPUs of a replica: tp1, tp8")
    return int(found[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutAsked:
    """So many `trajectories` at once on `gpus` GPUs, in replicas of `before` GPUs until the switch and of `after` then.

    Replicas are otherwise like those of `pool`, under the scheduler `admission`. It is switched when a share of the
    trajectories, one of `thresholds`, is left. A GPU's link moves `link` bytes per second one way, None where that is
    the catalogue's. The switch takes `pause` seconds beside what it moves; with `recompute` caches are not moved, and
    the second layout computes them again.
    """

    pool: PoolSketch
    admission: str
    gpus: int
    before: int
    after: int
    trajectories: int
    tail: Tail
    thresholds: tuple[float, ...]
    link: float | None = None
    pause: float = 0.0
    recompute: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.trajectories <= MOST_TRAJECTORIES:
            raise InputError(
                "this number of trajectories cannot be played",
                where="--prompts",
                value=self.trajectories,
                accepted=f"1 to {MOST_TRAJECTORIES:,}",
            )
        for threshold in self.thresholds:
            if not 0.0 < threshold < 1.0:
                raise InputError(
                    "at a threshold some trajectories are left, and not all",
                    where="--at",
                    value=threshold,
                    accepted="percentages above 0% and below 100%: 5%,20%",
                )
        checks.not_negative("pause", self.pause)
        for where, one in (("--from", self.before), ("--to", self.after)):
            if self.gpus % one:
                raise InputError(
                    f"{self.gpus} GPUs are no whole number of replicas of {one}", where=where, value=f"tp{one}"
                )
        if self.before == self.after:
            raise InputError("both layouts are alike", where="--to", value=f"tp{self.after}", accepted="another one")

    @property
    def courses(self) -> tuple[float, ...]:
        """The thresholds that are tried, with no switch and the second layout alone."""
        return (NEVER, *self.thresholds, FROM_THE_START)


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutCourse:
    """One rollout with the switch at a `threshold`: how many trajectories were `left` then, `at` how many seconds.

    Weights and caches took `moving` seconds; `makespan` are those until the last trajectory ends, all pauses in it, and
    `busy` the GPU-seconds of running steps.
    """

    threshold: float
    left: int
    at: float
    moving: float
    makespan: float
    busy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRun:
    """Replication `index`: the output `tokens` of its trajectories, how many were `cut` at the context, its courses."""

    index: int
    tokens: int
    cut: int
    courses: tuple[RolloutCourse, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolled:
    """A threshold over all runs; `change` is the makespan's to no switch, `behind` that to the best threshold.

    Both are taken run by run. `left`, `at`, `moving` and `tokens` (output tokens per second) are means, `idle` is the
    mean share of the GPUs' time in which they ran no step.
    """

    threshold: float
    left: float
    at: float
    moving: float
    makespan: Estimate
    change: Estimate
    behind: Estimate
    tokens: float
    idle: float
