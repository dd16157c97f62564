"""How one stage of a replica is divided in its two domains: attention tp x dp, feed-forward layers tp x ep.

Both domains have the same GPUs, so that their products are equal (Frontier, Equation 1); a replica has as many of them
as stages (Equation 2). Attention has its heads divided among `tp` GPUs in each of `dp` lanes, which keep sequences of
their own; routed experts are spread over `ep` groups of GPUs and each divided among the `tp` of a group.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.hardware import Model
    from fleettui.domain.scenario import Question

WHERE = "--layout"
EXAMPLE = "attention tp x dp / feed-forward tp x ep: tp2dp4/ep8, dp8/tp2ep4, tp8/ep8"
GROUPS = (1, 2, 4, 8)
"""GPUs among which a layer may be divided: of those kernels and collectives were measured."""
_SIDE = r"(?=[a-z])(?:tp(\d{1,3}))?(?:%s(\d{1,3}))?"
_FORM = re.compile(f"{_SIDE % 'dp'}/{_SIDE % 'ep'}")


@dataclass(frozen=True, slots=True)
class Layout:
    """The GPUs of both domains of a stage; raises InputError where they are not as many."""

    attention_tp: int
    attention_dp: int
    feed_forward_tp: int
    feed_forward_ep: int

    def __post_init__(self) -> None:
        own, other = self.attention_tp * self.attention_dp, self.feed_forward_tp * self.feed_forward_ep
        if own != other:
            raise InputError(
                f"attention has {self.attention_tp} x {self.attention_dp} = {own} GPUs, the feed-forward layers "
                f"{self.feed_forward_tp} x {self.feed_forward_ep} = {other}: both have the same",
                where=WHERE,
                value=self.text,
                accepted=EXAMPLE,
            )

    @property
    def gpus(self) -> int:
        """The GPUs of a stage."""
        return self.attention_tp * self.attention_dp

    @property
    def text(self) -> str:
        """The layout as it is written.

        >>> Layout(1, 8, 2, 4).text, Layout(8, 1, 1, 8).text
        ('dp8/tp2ep4', 'tp8/ep8')
        """
        own = _side(self.attention_tp, "dp", self.attention_dp)
        return f"{own}/{_side(self.feed_forward_tp, 'ep', self.feed_forward_ep)}"

    @property
    def within(self) -> str:
        """The layout where lanes or groups are of several GPUs, which flags do not say; empty where they do."""
        lanes = self.attention_dp > 1 and self.attention_tp > 1
        return self.text if lanes or (self.feed_forward_ep > 1 and self.feed_forward_tp > 1) else ""

    def check(self, model: Model) -> None:
        """Raise InputError where a model's experts do not divide by it."""
        if self.feed_forward_ep == 1:
            return
        if not model.experts:
            what, remedy = f"{model.name} has no routed experts to spread", f"write tp{self.gpus} behind the stroke"
            raise InputError(what, where=WHERE, value=self.text, remedy=remedy)
        if model.experts % self.feed_forward_ep:
            what = f"the {model.experts} experts of {model.name} do not divide by ep {self.feed_forward_ep}"
            fitting = ", ".join(f"ep{size}" for size in GROUPS[1:] if model.experts % size == 0)
            raise InputError(what, where=WHERE, value=self.text, accepted=fitting)


@cache
def layout(text: str, where: str | None = WHERE) -> Layout:
    """Return the layout that a text says; raises InputError.

    >>> layout("TP2DP4/ep8").text, layout("dp8/tp8").gpus
    ('tp2dp4/ep8', 8)
    """
    found = _FORM.fullmatch(text.strip().lower().replace(" ", ""))
    if found is None:
        raise InputError("this says no layout of both domains", where=where, value=text[:60], accepted=EXAMPLE)
    sizes = [int(one or 1) for one in found.groups()]
    wrong = next((one for one in sizes if one not in GROUPS), None)
    if wrong is not None:
        raise InputError("no layer is divided so", where=where, value=wrong, accepted="1, 2, 4 or 8 each")
    said = Layout(*sizes)
    if said.gpus not in GROUPS:
        what = f"{said.gpus} GPUs in one stage: collectives were measured among up to {GROUPS[-1]}"
        raise InputError(what, where=where, value=said.text, remedy="divide the layers into stages, too: --pp 2")
    return said


def _side(tp: int, way: str, count: int) -> str:
    return "".join(([f"tp{tp}"] if tp > 1 or count == 1 else []) + ([f"{way}{count}"] if count > 1 else []))


def check(asked: Question) -> None:
    """Raise InputError where a question says a layout beside other keys that say how a replica is divided."""
    if not asked.layout:
        return
    said = layout(asked.layout)
    if said.text != asked.layout:
        raise InputError("this is not as it is written", where=WHERE, value=asked.layout)
    lanes = said.attention_dp > 1
    beside = {
        "--tp": asked.tp not in ((), (said.gpus,)),
        "--expert-parallel": asked.expert_parallel,
        "--attention-dp": asked.attention_dp,
        "--parallel": asked.parallel is not None,
        "--speculative": lanes and bool(asked.speculative),
        "--kv-offload": lanes and bool(asked.kv_offload),
        "--pp": lanes and asked.pp != (1,),
    }
    if other := next((name for name, is_said in beside.items() if is_said), None):
        apart = other in ("--speculative", "--kv-offload", "--pp")
        why = "lanes are not modelled with that" if apart else "both say it"
        raise InputError(
            f"a layout does not stand beside {other}: {why}",
            where=WHERE,
            value=asked.layout,
            remedy=f"leave out {other}, or {WHERE}",
        )
