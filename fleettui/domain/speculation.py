"""Speculative decoding: so many tokens are drafted for each sequence, and a step verifies them beside its own.

Of d drafts the first i are accepted together with probability rate(i), which falls with i. A step therefore commits
m = 1 + (the accepted ones) tokens of a sequence: c = E[m] = 1 + Σ rate(i). With one rate a for each draft after those
before it rate(i) = aⁱ and c = (1 − a^(d+1))/(1 − a); the rates that servers log by position are rate(i) themselves
(measured ones fall faster than any aⁱ).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise

from fleettui.domain.whole import whole
from fleettui.errors import InputError

MTP = "mtp"
"""The word for a model's own layer for multi-token prediction as the drafter."""
SAMPLED = "sampled"
MOST_DRAFTS = 15
WHERE = "--speculative"
EXAMPLE = "mtp:3@70%, mtp:3@79%/48%/22% (by position), llama-3.1-8b:4@65%"
PER = 1000
"""Steps after which the tokens that they commit by expectation are whole."""


@dataclass(frozen=True, slots=True)
class Speculation:
    """`drafts` tokens a sequence and step, by the `drafter` "mtp" or a smaller model; `rates` are the rate(i).

    By expectation every sequence of a replica commits ⌊c·s⌋ tokens in its first s steps, c rounded to 1/PER; where it
    is `sampled`, each has its own luck in each step.
    """

    drafter: str
    drafts: int
    rates: tuple[float, ...]
    written: str
    sampled: bool = False

    @property
    def width(self) -> int:
        """Tokens that a step computes of each decoding sequence."""
        return self.drafts + 1

    @property
    def gain(self) -> int:
        """Tokens that PER steps commit of each sequence."""
        return round(PER * (1.0 + sum(self.rates)))

    @property
    def committed(self) -> float:
        """Tokens that a step commits of each sequence on average, c."""
        return self.gain / PER

    @property
    def variance(self) -> float:
        """The variance of the tokens that a step commits: E[m²] = 1 + Σ (2i + 1)·rate(i)."""
        square = 1.0 + sum((2 * place + 1) * rate for place, rate in enumerate(self.rates, 1))
        return max(square - (1.0 + sum(self.rates)) ** 2, 0.0) if self.sampled else 0.0

    @property
    def beyond(self) -> float:
        """Tokens by which a request's last step passes its end on average, cut off: (E[m²]/c − 1)/2, as renewals do.

        By expectation a step has ⌊c⌋ or ⌈c⌉ tokens.
        """
        low = self.gain // PER
        high = self.committed - low
        square = self.variance + self.committed**2 if self.sampled else low**2 + high * (2 * low + 1)
        return (square / self.committed - 1.0) / 2.0

    @property
    def text(self) -> str:
        """As it is typed."""
        return f"{self.drafter}:{self.drafts}@{self.written}{f':{SAMPLED}' if self.sampled else ''}"


NO_DRAFTS = Speculation("", 0, (), "")
"""Steps that verify nothing: one token of each sequence."""


@cache
def speculation(text: str, where: str | None = WHERE) -> Speculation:
    """Return what a text says: DRAFTER:DRAFTS@RATES, and :sampled behind it; raises InputError.

    >>> speculation("mtp:3@70%").committed, speculation("MTP:2@0.9/0.5:sampled").text
    (2.533, 'mtp:2@90%/50%:sampled')
    """
    said, _, acceptance = text.strip().partition("@")
    name, colon, count = said.rpartition(":")
    if not (name.strip() and colon and acceptance):
        raise InputError("this says no drafter, drafts and acceptance", where=where, value=text, accepted=EXAMPLE)
    written, _, mode = acceptance.partition(":")
    if mode.strip().lower() not in ("", SAMPLED):
        raise InputError("unknown word behind the acceptance", where=where, value=mode, accepted=SAMPLED)
    drafts = _drafts(count.strip(), where)
    shares = [_share(part.strip(), where) for part in written.split("/")]
    rates = shares if len(shares) > 1 else list(accumulate(shares * drafts, lambda one, other: one * other))
    if len(rates) != drafts:
        what = f"{len(shares)} rates by position for {drafts} drafts"
        raise InputError(what, where=where, value=text, accepted="one rate, or one for each draft")
    if any(one < other for one, other in pairwise(rates)):
        what = "a draft is accepted only with all those before it: rates by position fall"
        raise InputError(what, where=where, value=written, accepted="79%/48%/22%, as servers log them")
    drafter = MTP if name.strip().lower() == MTP else name.strip()
    return Speculation(drafter, drafts, tuple(rates), "/".join(map(_percent, shares)), bool(mode.strip()))


def _drafts(text: str, where: str | None) -> int:
    if not 1 <= (found := whole(text) or 0) <= MOST_DRAFTS:
        raise InputError("no such number of drafts", where=where, value=text, accepted=f"1 to {MOST_DRAFTS}")
    return found


def _share(text: str, where: str | None) -> float:
    try:
        value = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise InputError("this acceptance is no share", where=where, value=text, accepted=EXAMPLE) from None
    if not 0 < value <= 1:
        raise InputError("acceptance is out of range", where=where, value=text, accepted="above 0, up to 100%")
    return float(value)


def _percent(share: float) -> str:
    return f"{100.0 * share:.10g}%"
