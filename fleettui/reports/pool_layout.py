"""A pool whose file says the layout of its replicas: the fields that the layout stands for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from fleettui.domain.layout import layout
from fleettui.errors import InputError


def laid_out(said: Mapping[str, Any], named: Collection[str], place: Callable[[str], str]) -> dict[str, Any]:
    """Return what a pool's layout says of its other fields.

    Raises InputError, at the `place` of a field, where one that the file `named` says another thing.
    """
    found = layout(said["layout"])
    own = {"tp": found.gpus, "attention_dp": found.attention_dp > 1, "expert_parallel": found.feed_forward_ep > 1}
    for name, value in own.items():
        if name in named and said[name] != value:
            what = f"the layout {found.text} says another {name}"
            raise InputError(what, where=place(name), value=said[name], accepted=str(value).lower())
    return {**own, "layout": found.within}
