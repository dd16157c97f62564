"""The way of short prompts, which stay with the replica that decodes them and are prefilled beside its decodes."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.queueing.arrays import BoolArray, FloatArray
from fleettui.queueing.latency import Delay, PoolLoad, e2e_delay, ttft_delay
from fleettui.queueing.ranges import output_tokens
from fleettui.queueing.tails import Tail
from fleettui.queueing.tandem import tandem_tail
from fleettui.queueing.waiting import WaitTail


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The requests of some `rows` of a decode pool's atoms: the load has one row, whose steps have their prompts."""

    decode: PoolLoad
    rows: BoolArray
    stable: bool

    @property
    def output(self) -> FloatArray:
        """The output tokens of each atom."""
        return self._of(output_tokens(self.decode.service.drafting))

    def ttft(self) -> Tail:
        """Return the tail of the time to the first token: a place in a batch, the prompts before it, its own."""
        return self._tail(ttft_delay)

    def e2e(self) -> Tail:
        """Return the tail of the time to the last token."""
        return self._tail(e2e_delay)

    def _tail(self, delay: Delay) -> Tail:
        weight = self.decode.ranges.weight[self.rows]
        waits = [WaitTail(one.probability[0], one.rate[0]) for one in (self.decode.place, self.decode.prefill)]
        return tandem_tail(self._of(delay(self.decode)[0]), weight / weight.sum(), waits, stable=self.stable)

    def _of(self, coefficients: FloatArray) -> FloatArray:
        found: FloatArray = coefficients @ self.decode.ranges.features[:, self.rows]
        return found
