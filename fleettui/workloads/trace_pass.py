"""One pass over traces: checked, merged on one clock, spread over ticks, counted, and compressed at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from fleettui.domain.workload import ArrivalStatistics, LengthDistribution, Origin, TimeSlice, Timing, Workload
from fleettui.errors import InputError
from fleettui.workloads.compress import compress
from fleettui.workloads.formats.base import Chunk, Floats, TraceFormat, in_order
from fleettui.workloads.grid import split_points
from fleettui.workloads.merge import merged
from fleettui.workloads.pairs import PairCounts
from fleettui.workloads.statistics import ArrivalTally, length_statistics, six_digits
from fleettui.workloads.ticks import peeked, spread

MOST_TIMES = 500_000
"""Requests whose times may be kept with a plan."""


class Reading:
    """Arrivals and, per time slice, pairs of lengths of the traces at (path, format), read when it is made.

    With `times` those of all requests are kept, to be replayed.
    """

    def __init__(
        self,
        traces: Sequence[tuple[Path, TraceFormat]],
        *,
        slices: float | None,
        drop_above: int | None,
        timing: Timing | None,
        times: bool = False,
    ) -> None:
        self._paths = [path for path, _ in traces]
        self._slices, self._drop_above, self._timing = slices, drop_above, timing
        self._tick: float | None = None
        self._times: list[float] | None = [] if times else None
        self._dropped = 0
        self._columns: dict[str, None] = {}
        self._arrivals = ArrivalTally()
        self._pairs: dict[int, PairCounts] = {}
        for chunk in self._stream([self._opened(path, one) for path, one in traces]):
            self._count(chunk)
        if not self._pairs:
            raise self._nothing_left()

    def _opened(self, path: Path, one: TraceFormat) -> Iterator[Chunk]:
        """Return the requests of a file, checked for order, without those that are too long."""
        return (kept for chunk in in_order(one.read(path), path) if len((kept := self._short(chunk)).prompt))

    def _short(self, chunk: Chunk) -> Chunk:
        if chunk.column:
            self._columns[chunk.column] = None
        if self._drop_above is None:
            return chunk
        keep = chunk.prompt.astype(np.int64) + chunk.output <= self._drop_above
        self._dropped += int(len(keep) - keep.sum())
        arrivals = None if chunk.arrivals is None else chunk.arrivals[keep]
        return Chunk(arrivals, chunk.prompt[keep], chunk.output[keep])

    def _stream(self, streams: list[Iterator[Chunk]]) -> Iterator[Chunk]:
        """Return all requests on one clock. One trace's arrivals are tallied as recorded, several after the merge."""
        peeks = [peeked(stream) for stream in streams]
        firsts = [(next(stream, None), stream) for _, stream in peeks]
        timed = {first.arrivals is not None for first, _ in firsts if first is not None}
        if len(timed) > 1:
            raise InputError(
                "some sources have times and some have none",
                where=", ".join(map(str, self._paths)),
                accepted="traces on one clock",
            )
        whole = [iter(()) if first is None else chain((first,), stream) for first, stream in firsts]
        if not timed or not timed.pop():
            return self._untimed(chain.from_iterable(whole))
        ticks = [tick for tick, _ in peeks]
        self._tick = max((tick for tick in ticks if tick is not None), default=None)
        if len(whole) == 1:
            return self._even(self._tallied(whole[0]), ticks[0])
        return self._tallied(merged([self._even(one, tick) for one, tick in zip(whole, ticks, strict=True)]))

    def _untimed(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        if self._slices is not None:
            raise InputError(
                "the trace has no times to slice", where=str(self._paths[0]), remedy="leave out --slices, or add times"
            )
        return chunks

    def _even(self, chunks: Iterator[Chunk], tick: float | None) -> Iterator[Chunk]:
        return chunks if tick is None else spread(chunks, tick)

    def _tallied(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            assert chunk.arrivals is not None
            self._arrivals.add(chunk.arrivals)
            yield chunk

    def _keep_times(self, arrivals: Floats) -> None:
        """Keep the times of requests, those of a tick spread over it; raises InputError where they are too many."""
        if self._times is None:
            return
        self._times.extend(arrivals.tolist())
        if len(self._times) > MOST_TIMES:
            raise InputError(
                "a trace of so many requests is too long to be replayed",
                where=", ".join(map(str, self._paths)),
                accepted=f"up to {MOST_TIMES:,} requests",
                remedy="cut the trace to its busiest hours, or plan with --arrivals bursty",
            )

    def _count(self, chunk: Chunk) -> None:
        if chunk.arrivals is not None:
            self._keep_times(chunk.arrivals)
        if self._slices is None or chunk.arrivals is None:
            self._pairs.setdefault(0, PairCounts()).add(chunk.prompt, chunk.output)
            return
        assert self._arrivals.first is not None
        index = np.floor((chunk.arrivals - self._arrivals.first) / self._slices).astype(np.int64)
        for one in np.unique(index).tolist():
            inside = index == one
            self._pairs.setdefault(one, PairCounts()).add(chunk.prompt[inside], chunk.output[inside])

    def _nothing_left(self) -> InputError:
        where = ", ".join(map(str, self._paths))
        if self._dropped:
            return InputError(
                f"all {self._dropped:,} requests are longer than the limit",
                where=where,
                value=self._drop_above,
                accepted="a limit above the shortest request",
                remedy="raise the limit",
            )
        return InputError(
            "the trace holds no request", where=where, accepted="at least one row", remedy="check the file"
        )

    def workload(self, name: str, origin: Origin) -> Workload:
        """Return what was read, compressed."""
        arrivals = self._arrival_statistics()
        return Workload(
            name=name,
            slices=self._time_slices(arrivals),
            arrivals=arrivals,
            origin=origin,
            dropped=self._dropped,
            notes=self._notes(),
            times=tuple(round(time - self._times[0], 6) for time in self._times) if self._times else (),
        )

    def _arrival_statistics(self) -> ArrivalStatistics:
        if not self._arrivals.count:
            return ArrivalStatistics()
        return self._arrivals.statistics(self._timing or ("ticks" if self._tick else "recorded"), self._tick)

    def _time_slices(self, arrivals: ArrivalStatistics) -> tuple[TimeSlice, ...]:
        if self._slices is None:
            duration, rate = arrivals.duration or 0.0, arrivals.mean_rate
            return (TimeSlice(start=0.0, duration=duration, rate=rate, lengths=lengths_of(self._pairs[0])),)
        self._join_last_slice()
        return tuple(self._time_slice(index, self._slices) for index in sorted(self._pairs))

    def _join_last_slice(self) -> None:
        """Add the stretch after the last whole slice to the slice before it; alone its rate would mean little."""
        assert self._slices is not None
        last = max(self._pairs)
        if last - 1 in self._pairs and self._arrivals.duration < (last + 1) * self._slices:
            self._pairs[last - 1].merge(self._pairs.pop(last))

    def _time_slice(self, index: int, width: float) -> TimeSlice:
        end = self._arrivals.duration if index == max(self._pairs) else (index + 1) * width
        start, lengths = index * width, lengths_of(self._pairs[index])
        duration = six_digits(end - start)
        rate = six_digits(lengths.n_samples / duration) if duration > 0 else None
        return TimeSlice(start=start, duration=duration, rate=rate, lengths=lengths)

    def _notes(self) -> tuple[str, ...]:
        notes = [f"the times are those of column {column}" for column in self._columns]
        if self._tick is not None:
            notes.append(f"arrivals were recorded in {self._tick:g}-second ticks, over which they are spread evenly")
        if self._dropped:
            notes.append(f"{self._dropped:,} requests longer than {self._drop_above:,} tokens were left out")
        return tuple(notes)


def lengths_of(pairs: PairCounts) -> LengthDistribution:
    """Return the joint distribution of the counted pairs: atoms, F on the grid, and statistics of the originals."""
    prompt, output, counts = pairs.table()
    total, number = prompt + output, int(counts.sum())
    grid = split_points(total.astype(np.float64), counts.astype(np.float64))
    points = (*grid, int(total.max()))
    order = np.argsort(total, kind="stable")
    below = np.concatenate(([0], np.cumsum(counts[order])))[np.searchsorted(total[order], points, side="right")]
    return LengthDistribution(
        kind="joint",
        atoms=compress(prompt, output, counts, grid),
        cdf=tuple((float(point), int(at) / number) for point, at in zip(points, below.tolist(), strict=True)),
        n_samples=number,
        prompt=length_statistics(prompt, counts),
        output=length_statistics(output, counts),
        total=length_statistics(total, counts),
    )
