"""Fleets that are told in words, as lists and studies tell them, read back as their pools."""

from __future__ import annotations

import re
from typing import Any, get_args

from fleettui.domain.dtype import Dtype

_DTYPES = "|".join(get_args(Dtype))
_POOL = re.compile(
    rf"(?:(?P<gpus>\d+) )?(?:(?P<gpu>(?!(?:tp|dp)\d|(?:{_DTYPES}) )\S+) )?(?:(?P<dtype>{_DTYPES}) )?"
    r"(?P<how>tp|dp)(?P<tp>\d+)(?:pp(?P<pp>\d+))? ?x(?P<replicas>\d+)(?:\+(?P<spares>\d+))?(?: g(?P<gamma>[\d.]+))?"
)


def fleet_in_words(text: Any) -> dict[str, Any] | None:
    """Return the pools of a fleet such as 48 h100 tp8x6 + 4 a100 tp4x1, or H100 tp4 x4 + tp8 x2+1; None where none is.

    >>> fleet_in_words("H100 tp8 x9+1 g1.5")["pools"]
    [{'gpu': 'h100', 'tp': 8, 'pp': 1, 'replicas': 9, 'spares': 1, 'gpus': 80}]
    >>> fleet_in_words("none") is None
    True
    """
    if not isinstance(text, str):
        return None
    found = [_POOL.fullmatch(part) for part in text.split(" + ")]
    pools, gpu, gamma = [], "", 1.0
    for one in found:
        if one is None or not (one["gpu"] or gpu):
            return None
        said = one["gpu"] or gpu
        gpu, gamma = said if one["gpus"] else said.lower(), float(one["gamma"] or gamma)
        pools.append(_pool(gpu, one))
    return {"pools": pools, "gamma": gamma}


def _pool(gpu: str, found: re.Match[str]) -> dict[str, Any]:
    tp, pp, replicas, spares = (int(found[name] or least) for name, least in _COUNTS)
    named = {} if found["dtype"] is None else {"dtype": found["dtype"]}
    divided = {"attention_dp": True} if found["how"] == "dp" else {}
    sizes = {"tp": tp, "pp": pp, "replicas": replicas, "spares": spares, "gpus": tp * pp * (replicas + spares)}
    return {"gpu": gpu, **named, **divided, **sizes}


_COUNTS = (("tp", 1), ("pp", 1), ("replicas", 0), ("spares", 0))
