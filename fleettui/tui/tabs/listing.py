"""How the candidates of a plan are listed, and how a session keeps that."""

from __future__ import annotations

from typing import NamedTuple

ORDERS = {
    "rank": "cheapest first",
    "cost_per_hour": "by cost",
    "gpus": "by GPUs",
    "ttft": "by TTFT by formula",
    "tpot": "by TPOT by formula",
    "power": "by power",
}
"""What candidates are sorted by, in the order of the key, with the words of the title."""


class Listing(NamedTuple):
    """How the candidates are listed: sorted by `order`, those whose rows have `words`.

    An empty order is the plan's own. With `every` each split of a fleet is a row, with `answer_first` the plan's answer
    stands before all others.
    """

    order: str = "rank"
    reverse: bool = False
    words: str = ""
    every: bool = False
    answer_first: bool = False

    @classmethod
    def read(cls, text: str) -> Listing:
        """Return what a session keeps of a listing; what is none is the default.

        >>> Listing.read("-gpus=") == Listing(order="gpus", reverse=True, every=True), Listing.read("?").order
        (True, '')
        """
        order = text.removeprefix("-").removesuffix("=")
        known = order in ORDERS
        return cls(order=order if known else "", reverse=text.startswith("-"), every=text.endswith("="))

    @property
    def text(self) -> str:
        """The text that `read` reads back."""
        return f"{'-' if self.reverse else ''}{self.order}{'=' if self.every else ''}"
