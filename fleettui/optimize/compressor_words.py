"""What a fleet behind a prompt compressor rests on: a share that is taken, or one that was measured."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.fleet import Fleet
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question


def compressor_seconds(fleet: Fleet, place: int, measured: MeasuredShare | None) -> float:
    """Return the seconds of a measured compressor before the pool at a `place`, 0 before the last."""
    takes = fleet.gamma > 1.0 and place < len(fleet.pools) - 1
    return measured.seconds if takes and measured is not None else 0.0


def compressor_words(answer: Candidate, question: Question) -> Iterator[str]:
    """Yield what a reader should know of the compressor that an answer needs, its gamma above 1."""
    fleet, measured = answer.fleet, question.compressor
    if measured is None:
        yield (
            f"gamma {fleet.gamma:g} needs a prompt compressor before the router, whose own time and cost are "
            f"not counted; {fleet.compressible:.0%} of those requests are taken to bear it"
        )
        return
    pools = " and ".join(pool.name for pool in fleet.pools[:-1])
    yield (
        f"gamma {fleet.gamma:g} needs the prompt compressor before the router: {measured.share:.1%} of those requests "
        f"bear it, as study {measured.study} measured ({measured.low:.1%} to {measured.high:.1%}); its P99 of "
        f"{1e3 * measured.seconds:.3g} ms is in every TTFT of pool {pools}, {_cost(answer, question)}"
    )
    splits = [pool.up_to for pool in fleet.pools[:-1]]
    if splits != [measured.split] or fleet.gamma > measured.gamma:
        band = f"{measured.split + 1:,} to {int(measured.gamma * measured.split):,}"
        yield (
            f"study {measured.study} measured requests of {band} tokens; this fleet compresses those above "
            f"{' and '.join(f'{one:,}' for one in splits)} tokens up to {fleet.gamma:g} times that: fleettui compress "
            f"PROMPTS --split {splits[0]} --gamma {fleet.gamma:g} measures them"
        )


def _cost(answer: Candidate, question: Question) -> str:
    """Say what the compressor's cores cost, where they have a price."""
    if question.core_price is None:
        return "the cost of its processors is not counted: --core-price 0.04/h does"
    cores = answer.compressor_cost / question.core_price
    return (
        f"and its {cores:.2g} busy cores cost ${answer.compressor_cost:.2g}/h at ${question.core_price:g}/h each, "
        "which the choice of gamma has counted beside the GPUs"
    )
