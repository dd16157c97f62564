"""The workload's own times: at another rate copies of them, each begun somewhere else, the last one thinned."""

from __future__ import annotations

from typing import Any

from fleettui.workloads.arrivals.bursty import vary
from fleettui.workloads.arrivals.copies import merged, scaling
from fleettui.workloads.arrivals.process import ArrivalProcess, Stream


def times(draws: Any, requests: int, stream: Stream, /) -> Any:
    """Return copies of the recorded times, each from a random one on and around."""
    xp = draws.random(0).__array_namespace__()
    recorded = xp.asarray(stream.recorded.times)
    count = len(recorded)
    period = float(recorded[-1]) * count / (count - 1)  # the last gap, from the end to the beginning, is a mean one

    def copy(own: Any, seconds: float, /) -> Any:
        start = own.random() * period
        rounds, rest = divmod(start + seconds, period)
        last = int(rounds) * count + int(recorded.searchsorted(rest))
        places = xp.arange(int(recorded.searchsorted(start)), last)
        return recorded[places % count] + places // count * period - start

    return merged(draws, requests, copy, rate=stream.rate, own_rate=count / period)


def tell(stream: Stream, /) -> str:
    """Return what is replayed."""
    record = stream.recorded
    own = f"{len(record.times):,} times recorded over {record.duration:,.0f} s are replayed"
    return f"{own}; {scaling(stream.rate / record.rate)}"


PROCESS = ArrivalProcess(
    name="replay",
    help="the workload's own times",
    noun="Replay of the workload's times",
    times=times,
    vary=vary,
    needs="times",
    tell=tell,
)
