"""What compressing is worth in one sentence of a plan: its work against that of the fleets that compress nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.fleet import counted
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question

SAME_SPLIT, ONE_POOL = "the same split without it", "one pool"


def worth_words(answer: Candidate, candidates: Sequence[Candidate], question: Question) -> Iterator[str]:
    """Yield what the gamma of an answer saves, or that none does, where the question lets it compress.

    It is told against the fleets on the same hardware among `candidates`, which are ranked.
    """
    if question.gamma[1] <= 1.0:
        return
    alike = [one for one in candidates if not one.shortfalls and _kinds(one) == _kinds(answer)]
    head = f"under {question.admission} admission"
    if answer.fleet.gamma > 1.0:
        whole = (one for one in alike if len(one.fleet.pools) == 1)
        plain = (one for one in alike if one.fleet.gamma == 1.0 and _splits(one) == _splits(answer))
        others = ((name, next(found, None)) for name, found in ((SAME_SPLIT, plain), (ONE_POOL, whole)))
        told = [_against(answer, one, name) for name, one in others if one is not None]
        if told:
            yield f"{head} gamma {answer.fleet.gamma:g} takes {', '.join(told)}; fleettui why has every gamma"
        return
    best = next((one for one in alike if one.fleet.gamma > 1.0), None)
    if best is not None:
        split = " and ".join(f"{end:,}" for end in _splits(best))
        beside = _against(best, answer, "this")
        yield f"{head} compressing saves nothing: gamma {best.fleet.gamma:g} at {split} takes {beside}"


def against(change: float, gpus: int, name: str) -> str:
    """Return a change of the work, as a share of it, and of GPUs against a fleet that compresses nothing.

    >>> against(-0.0042, 0, "one pool"), against(0.01, 8, "one pool")
    ('0.4% less work than one pool (as many GPUs)', '1.0% more work than one pool (8 GPUs more)')
    """
    many = f"{counted(abs(gpus))} {'more' if gpus > 0 else 'fewer'}" if gpus else "as many GPUs"
    return f"{abs(change):.1%} {'more' if change > 0 else 'less'} work than {name} ({many})"


def _against(one: Candidate, other: Candidate, name: str) -> str:
    return against(_work(one) / _work(other) - 1.0, one.gpus - other.gpus, name)


def _work(one: Candidate) -> float:
    """Return a fleet's load in busy replicas."""
    return sum(figures.utilization * pool.replicas for figures, pool in zip(one.pools, one.fleet.pools, strict=True))


def _splits(one: Candidate) -> list[int]:
    return [pool.up_to for pool in one.fleet.pools[:-1]]


def _kinds(one: Candidate) -> set[tuple[str, str, str]]:
    return {(pool.gpu, pool.dtype, pool.division) for pool in one.fleet.pools}
