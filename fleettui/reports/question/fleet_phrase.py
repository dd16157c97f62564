"""A fleet in a line, as the screen writes it: h100 tp4 x6 to 4096 + tp8 x2, pools from the shortest requests on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fleettui.domain.fleet import Fleet
from fleettui.errors import InputError

ACCEPTED = "h100 tp4 x6, h100 tp4 x6 to 4096 + tp8 x2 (pools by total tokens, a GPU once), or fleet.yaml"
_POOL = re.compile(
    r"(?P<gpu>(?!tp\s*\d|pp\s*\d|x\s*\d)\S+)?\s*(?:tp\s*(?P<tp>\d+))?\s*(?:pp\s*(?P<pp>\d+))?\s*[x×*]\s*(?P<replicas>\d+)"
    r"(?:\s*(?:up\s+)?to\s+(?P<up_to>[\d.,_]+k?))?",
    re.IGNORECASE,
)
OF_MODEL = {"model": "model", "dtype": "dtype", "kv-dtype": "kv_dtype"}
"""What the question's texts say of every pool, by their keys, as a fleet's file calls it."""


def fleet_text(phrase: str, texts: Mapping[str, str]) -> str:
    """Return the fleet as the text of a file, JSON, of the model that `texts` say; raises InputError with an example.

    >>> fleet_text("H100 tp4 x6", {"model": "qwen3-32b", "dtype": "fp8"})
    '{"pools": [{"model": "qwen3-32b", "dtype": "fp8", "gpu": "h100", "tp": 4, "replicas": 6}]}'
    """
    return json.dumps({"pools": list(_pools(phrase, texts))})


def phrase_of(fleet: Fleet) -> str:
    """Return the line that reads back as a fleet's pools; empty where a line does not say all of it.

    What a line leaves out is compression, spares, and pools of several models, number formats or settings of experts.
    """
    alike = {(pool.model, pool.dtype, pool.kv_dtype, pool.expert_parallel, pool.spares) for pool in fleet.pools}
    if fleet.gamma > 1.0 or len(alike) > 1 or fleet.pools[0].spares:
        return ""
    ends = [f" to {pool.up_to}" for pool in fleet.pools[:-1]] + [""]
    return " + ".join(
        f"{pool.gpu} {pool.division} x{pool.replicas}{end}" for pool, end in zip(fleet.pools, ends, strict=True)
    )


def _pools(phrase: str, texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    shared: dict[str, Any] = {field: texts[key] for key, field in OF_MODEL.items() if texts.get(key)}
    if texts.get("expert-parallel") == "true":
        shared["expert_parallel"] = True
    gpu = ""
    for part in phrase.split("+"):
        found = _POOL.fullmatch(part.strip())
        if found is None or not (found["gpu"] or gpu):
            raise InputError("this is no fleet", where="fleet", value=phrase, accepted=ACCEPTED)
        gpu = (found["gpu"] or gpu).lower() if "/" not in (found["gpu"] or "") else found["gpu"]
        counts = {"tp": found["tp"] or "1", "pp": found["pp"], "replicas": found["replicas"]}
        pool = {**shared, "gpu": gpu, **{name: int(count) for name, count in counts.items() if count}}
        yield pool | ({"up_to": found["up_to"]} if found["up_to"] else {})
