"""How a decode replica is divided whose attention and feed-forward layers have GPUs of their own (AFD).

The two-domain form: attention is divided among `attention_tp` GPUs in each of `attention_dp` lanes, the feed-forward
layers among `feed_forward_tp` GPUs or, experts whole, `feed_forward_ep` (Frontier, Equations 1 and 2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain import checks
from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.hardware import Model

WHERE = "--afd"
EXAMPLE = "tp2dp4/ep8, tp4dp2/tp8 or tp2dp2/tp4x3, with x3 the micro-batches (3 unless said)"
MICRO_BATCHES, MOST_MICRO_BATCHES = 3, 16
GROUPS = (1, 2, 4, 8)
"""GPUs among which a layer may be divided: of those kernels and collectives were measured."""
MOST_LANES = 64
_FORM = re.compile(r"tp(\d{1,3})(?:dp(\d{1,3}))?/(tp|ep)(\d{1,3})(?:x(\d{1,3}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class AfdLayout:
    """So many GPUs of either role: a replica has attention_tp·attention_dp and feed_forward_tp·feed_forward_ep.

    Roles that host one domain each need not have as many GPUs as the other. Raises InputError for sizes that are none,
    and for feed-forward layers that are divided both ways at once, for which no kernel was measured.
    """

    attention_tp: int
    attention_dp: int = 1
    feed_forward_tp: int = 1
    feed_forward_ep: int = 1
    micro_batches: int = MICRO_BATCHES

    def __post_init__(self) -> None:
        for name in ("attention_tp", "feed_forward_tp", "feed_forward_ep"):
            if getattr(self, name) not in GROUPS:
                what = f"{name.replace('_', ' ')} is not supported"
                raise InputError(what, value=getattr(self, name), accepted=", ".join(map(str, GROUPS)))
        for name, most in (("attention_dp", MOST_LANES), ("micro_batches", MOST_MICRO_BATCHES)):
            checks.positive(name.replace("_", " "), getattr(self, name))
            if getattr(self, name) > most:
                raise InputError(
                    f"{name.replace('_', ' ')} is too large", value=getattr(self, name), accepted=f"1 to {most}"
                )
        if self.feed_forward_tp > 1 and self.feed_forward_ep > 1:
            raise InputError(
                "feed-forward layers are divided by tensor parallelism or hold experts whole, not both",
                value=f"tp{self.feed_forward_tp} and ep{self.feed_forward_ep}",
                accepted=EXAMPLE,
            )

    @classmethod
    def read(cls, text: str) -> AfdLayout:
        """Return the layout that a text says; raises InputError with the way to write one.

        >>> AfdLayout.read("tp2dp4/ep8").gpus, AfdLayout.read("tp4/tp8x2").text
        (16, 'tp4/tp8x2')
        """
        found = _FORM.fullmatch(text.strip().lower())
        if found is None:
            raise InputError(
                "this says no layout of attention and feed-forward", where=WHERE, value=text, accepted=EXAMPLE
            )
        tp, dp, way, count, many = found.groups()
        return cls(
            attention_tp=int(tp),
            attention_dp=int(dp or 1),
            feed_forward_tp=int(count) if way == "tp" else 1,
            feed_forward_ep=int(count) if way == "ep" else 1,
            micro_batches=int(many or MICRO_BATCHES),
        )

    @property
    def attention_gpus(self) -> int:
        """GPUs of a replica's attention role."""
        return self.attention_tp * self.attention_dp

    @property
    def feed_forward_gpus(self) -> int:
        """GPUs of a replica's feed-forward role."""
        return self.feed_forward_tp * self.feed_forward_ep

    @property
    def gpus(self) -> int:
        """GPUs of a replica."""
        return self.attention_gpus + self.feed_forward_gpus

    @property
    def narrower(self) -> int:
        """The links that the activations of a layer pass side by side: the GPUs of the smaller role."""
        return min(self.attention_gpus, self.feed_forward_gpus)

    @property
    def text(self) -> str:
        """The layout as it is written."""
        lanes = f"dp{self.attention_dp}" if self.attention_dp > 1 else ""
        way = f"ep{self.feed_forward_ep}" if self.feed_forward_ep > 1 else f"tp{self.feed_forward_tp}"
        many = "" if self.micro_batches == MICRO_BATCHES else f"x{self.micro_batches}"
        return f"tp{self.attention_tp}{lanes}/{way}{many}"

    def check(self, model: Model) -> None:
        """Raise InputError where heads or experts of a model do not divide by the layout."""
        if model.heads % self.attention_tp:
            raise InputError(
                f"the {model.heads} heads of {model.name} do not divide by attention tp {self.attention_tp}",
                where=WHERE,
                value=self.text,
                accepted=", ".join(f"tp{size}" for size in GROUPS if model.heads % size == 0),
            )
        if self.feed_forward_ep == 1:
            return
        if not model.experts:
            raise InputError(
                f"{model.name} has no experts to spread: its layers are divided",
                where=WHERE,
                value=self.text,
                remedy=f"write tp{self.feed_forward_ep} behind the stroke",
            )
        if model.experts % self.feed_forward_ep:
            raise InputError(
                f"the {model.experts} experts of {model.name} do not divide by ep {self.feed_forward_ep}",
                where=WHERE,
                value=self.text,
                accepted=", ".join(f"ep{size}" for size in GROUPS[1:] if model.experts % size == 0),
            )
