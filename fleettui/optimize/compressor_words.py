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


def compressor_words(answer: Candidate, question: Question) -> str:
    """Return what a measured compressor does to an answer: who bears it, its time and its cost; "" without one."""
    fleet, measured = answer.fleet, question.compressor
    if measured is None or fleet.gamma <= 1.0:
        return ""
    pools = " and ".join(pool.name for pool in fleet.pools[:-1])
    return (
        f"gamma {fleet.gamma:g} needs the prompt compressor before the router: {measured.share:.1%} of those requests "
        f"bear it, as study {measured.study} measured ({measured.low:.1%} to {measured.high:.1%}); its P99 of "
        f"{1e3 * measured.seconds:.3g} ms is in every TTFT of pool {pools}, {_cost(answer, question)}"
    )


def compressor_warnings(answer: Candidate, question: Question) -> Iterator[str]:
    """Yield what of the compressor that an answer needs, its gamma above 1, is taken or left out."""
    fleet, measured = answer.fleet, question.compressor
    if measured is None:
        share = f"{fleet.compressible:.0%}"
        yield f"gamma {fleet.gamma:g}: {share} are taken to bear compression: fleettui compress measures"
        return
    if question.core_price is None:
        yield f"gamma {fleet.gamma:g}: the compressor's processors are not in the cost: --core-price 0.04/h"
    splits = [pool.up_to for pool in fleet.pools[:-1]]
    if splits != [measured.split] or fleet.gamma > measured.gamma:
        again = f"fleettui compress PROMPTS --split {splits[0]} --gamma {fleet.gamma:g}"
        yield f"study {measured.study} is of other lengths: {again}"


def _cost(answer: Candidate, question: Question) -> str:
    """Say what the compressor's cores cost, where they have a price."""
    if question.core_price is None:
        return "the cost of its processors is not counted"
    cores = answer.compressor_cost / question.core_price
    return (
        f"and its {cores:.2g} busy cores cost ${answer.compressor_cost:.2g}/h at ${question.core_price:g}/h each, "
        "which the choice of gamma has counted beside the GPUs"
    )
