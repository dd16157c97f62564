"""What each of several causes adds: alone, beyond the sum of each, and one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.whatif import Outcome

TOGETHER = "together"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A cause and what it adds: GPUs, US dollars an hour, seconds of TTFT in the worst pool; None is undefined."""

    cause: str
    change: str
    gpus: float | None
    cost: float | None
    ttft: float | None = None
    limited_by: str = ""


def step_of(cause: str, change: str, base: Outcome, one: Outcome) -> Step:
    """Return what a cause adds to `base`, with which it comes to `one`."""
    return Step(
        cause=cause,
        change=change,
        gpus=more(one.gpus, base.gpus),
        cost=more(one.cost, base.cost),
        ttft=more(one.ttft, base.ttft),
        limited_by=one.limited_by,
    )


def with_rest(alone: Sequence[Step], base: Outcome, whole: Outcome) -> list[Step]:
    """Return what each cause adds `alone`, and what all do beyond the sum of each.

    They add up to what `whole`, with all of them, is more than `base`.
    """
    steps = list(alone)
    if len(steps) > 1:
        gpus = rest(more(whole.gpus, base.gpus), [one.gpus for one in steps])
        cost = rest(more(whole.cost, base.cost), [one.cost for one in steps])
        ttft = rest(more(whole.ttft, base.ttft), [one.ttft for one in steps])
        steps.append(Step(cause=TOGETHER, change="beyond the sum of each alone", gpus=gpus, cost=cost, ttft=ttft))
    return steps


def in_turn(causes: Sequence[tuple[str, str]], reached: Sequence[Outcome]) -> list[Step]:
    """Return what each of the `causes`, named with what changed, adds to those before it.

    They come to what is `reached` with none, with the first, with the first two and so on, and add up to the whole. One
    with which no fleet holds is one step with the next.

    >>> low, high = (Outcome(verdict="pass", gpus=gpus, cost=2.0 * gpus) for gpus in (8, 12))
    >>> none = Outcome(verdict="infeasible")
    >>> [(one.cause, one.gpus) for one in in_turn([("a", ""), ("b", ""), ("c", "")], [low, high, none, low])]
    [('a', 4), ('b, c', -4)]
    """
    steps, before, waiting = list[Step](), reached[0], list[tuple[str, str]]()
    for cause, after in zip(causes, reached[1:], strict=True):
        waiting.append(cause)
        if after.cost is not None:
            names, changes = zip(*waiting, strict=True)
            steps.append(step_of(", ".join(names), ", ".join(changes), before, after))
            before, waiting = after, []
    return steps


def more(new: float | None, old: float | None) -> float | None:
    """Return by how much a figure is more than an `old` one, None where either is undefined."""
    return None if new is None or old is None else new - old


def rest(total: float | None, parts: Sequence[float | None]) -> float | None:
    """Return what the parts leave of the total; None where any of them is undefined."""
    known = [one for one in parts if one is not None]
    return None if total is None or len(known) < len(parts) else total - sum(known)
