"""What LRU caches of prefixes find, by their characteristic time: Che's approximation, for requests of any kind.

A block stays in a cache for the time T that it takes new ones to fill it, about the same for all blocks; so it is found
where it was asked for within T before (Che, Tung & Wang, Hierarchical Web Caching Systems, IEEE JSAC 20(7), 2002, for
independent requests; Garetto, Leonardi & Martina, A Unified Approach to the Performance Analysis of Caching Systems,
ACM ToMPECS 1(3), 2016, for others). How much a cache holds at T follows from what it misses: where x is how long ago a
block may have been asked for last, d(held)/dx is the rate of tokens that are missed at x (Denning & Schwartz,
Properties of the Working-Set Model, CACM 15(3), 1972). Behind a router that sends anywhere, each of N replicas has seen
any of the earlier requests with 1/N; behind one that keeps together what begins alike, all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fleettui.queueing.arrays import FloatArray, IntArray

WINDOWS = 48
"""Times at which it is counted what was asked for before, from the least to the longest by equal factors."""
LEAST_WINDOW = 1e-4
"""The least of them as a share of the longest."""
MOST_COUNTED = 4_095
"""Earlier requests for the same, beyond which a cache has it whichever replica they went to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accesses:
    """When the parts of prompts are asked for: arrays of shape (accesses,).

    `part` tells one from another, `time` are seconds, or requests where the trace `is_counted`, and `tokens` what it
    holds. There were so many `requests` with `prompt` tokens on average, of which the first `common` are in all.
    """

    part: IntArray
    time: FloatArray
    tokens: FloatArray
    requests: int
    prompt: float
    common: float = 0.0
    is_counted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reuse:
    """What of a request's tokens was asked for so often within a time before; arrays of shape (windows, counts).

    `windows` are the times, seconds or requests as in `Accesses`, `tokens` those of a mean request that were asked for
    as many times as the column says.
    """

    windows: FloatArray
    tokens: FloatArray
    prompt: float
    common: float
    is_counted: bool

    @classmethod
    def of(cls, accesses: Accesses) -> Reuse:
        """Count how often each access had one before it, within each window."""
        order = np.lexsort((accesses.time, accesses.part))
        part, time, tokens = accesses.part[order], accesses.time[order], accesses.tokens[order]
        span = float(time.max() - time.min()) if len(time) else 0.0
        longest = max(span, LEAST_WINDOW)
        windows = np.concatenate([[0.0], longest * np.geomspace(LEAST_WINDOW, 1.0, WINDOWS - 1)])
        apart = 3.0 * longest  # no window reaches from one part to another
        keys = part * apart + (time - (time.min() if len(time) else 0.0))
        place = np.arange(len(keys))
        counts = [np.minimum(place - np.searchsorted(keys, keys - one), MOST_COUNTED) for one in windows]
        counts[0][:] = 0
        most = max((int(one.max(initial=0)) for one in counts), default=0)
        rows = [np.bincount(one, weights=tokens, minlength=most + 1) for one in counts]
        return cls(
            windows=windows,
            tokens=np.array(rows) / max(accesses.requests, 1),
            prompt=accesses.prompt,
            common=accesses.common,
            is_counted=accesses.is_counted,
        )

    def missed(self, replicas: float, *, together: bool) -> FloatArray:
        """Return the tokens of a mean request that a replica's cache misses at each window, shape (windows,)."""
        elsewhere = 0.0 if together else 1.0 - 1.0 / replicas
        return np.asarray(self.tokens @ elsewhere ** np.arange(self.tokens.shape[1]))

    def share(self, *, rate: float, replicas: float, room: float, together: bool, copies: int = 1) -> float:
        """Return the share of prompt tokens that is found, requests coming at `rate` per second to so many `replicas`.

        `room` are the tokens that a replica's cache holds beside what its running requests do. A counted trace is laid
        over itself in so many `copies`, with nothing in common.
        """
        seconds = self.windows / (rate / copies) if self.is_counted else self.windows
        missed = self.missed(replicas, together=together)
        held = self.common + rate / replicas * _integral(seconds, missed)
        at_end = float(np.interp(room, held, missed))
        found = float(self.tokens[0].sum()) - at_end + (self.common if room >= self.common else 0.0)
        return min(max(found / self.prompt, 0.0), 1.0)


def _integral(places: FloatArray, values: FloatArray) -> FloatArray:
    """Return the integral of `values` from the first place to each, by the trapezoid rule."""
    pieces = 0.5 * (values[1:] + values[:-1]) * np.diff(places)
    return np.concatenate([[0.0], np.cumsum(pieces)])
