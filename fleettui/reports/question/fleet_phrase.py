"""A fleet in a line, as the screen writes it: h100 tp4 x6 to 4096 + tp8 x2, pools from the shortest requests on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fleettui.domain.fleet import Fleet
from fleettui.errors import InputError

ACCEPTED = "h100 tp4 x6, h100 tp4 x6 to 4096 + tp8 x2 (pools by total tokens, a GPU once), or fleet.yaml"
_POOL = re.compile(
    r"(?:(?P<total>[\d,]+)\s+(?=[a-z./~]))?(?P<gpu>(?!tp\s*\d|pp\s*\d|x\s*\d)\S+)?\s*(?:tp\s*(?P<tp>\d+))?\s*(?:pp\s*(?P<pp>\d+))?\s*[x×*]\s*(?P<replicas>\d+)"
    r"(?:\s*(?:up\s+)?to\s+(?P<up_to>[\d.,_]+k?))?",
    re.IGNORECASE,
)


def fleet_text(phrase: str) -> str:
    """Return the fleet as the text of a file, JSON, that leaves the model to the question.

    Raises InputError with an example.

    >>> fleet_text("H100 tp4 x6"), fleet_text("24 H100 tp4 x6") == fleet_text("h100 tp4 x6")
    ('{"pools": [{"gpu": "h100", "tp": 4, "replicas": 6}]}', True)
    """
    return json.dumps({"pools": list(_pools(phrase))})


def phrase_of(fleet: Fleet) -> str:
    """Return the line that reads back as a fleet's pools; empty where a line does not say all of it.

    What a line leaves out is compression, spares, layouts, and pools of several models, number formats or settings of
    experts.
    """
    alike = {(pool.model, pool.dtype, pool.kv_dtype, pool.expert_parallel, pool.spares) for pool in fleet.pools}
    laid_out = any(pool.layout for pool in fleet.pools)
    if fleet.gamma > 1.0 or len(alike) > 1 or fleet.pools[0].spares or laid_out:
        return ""
    ends = [f" to {pool.up_to}" for pool in fleet.pools[:-1]] + [""]
    return " + ".join(
        f"{pool.gpu} {pool.division} x{pool.replicas}{end}" for pool, end in zip(fleet.pools, ends, strict=True)
    )


def _check_total(total: str | None, pool: dict[str, Any], phrase: str) -> None:
    """Raise InputError where the GPUs that stand before a pool, as reports write them, are not its replicas'."""
    gpus = pool["replicas"] * pool["tp"] * pool.get("pp", 1)
    if total is not None and int(total.replace(",", "")) != gpus:
        raise InputError(
            f"{total} GPUs stand before replicas that have {gpus}",
            where="fleet",
            value=phrase,
            remedy="leave out the number of GPUs, or make it agree",
        )


def _pools(phrase: str) -> Iterator[dict[str, Any]]:
    gpu = ""
    for part in phrase.split("+"):
        found = _POOL.fullmatch(part.strip())
        if found is None or not (found["gpu"] or gpu):
            raise InputError("this is no fleet", where="fleet", value=phrase, accepted=ACCEPTED)
        gpu = (found["gpu"] or gpu).lower() if "/" not in (found["gpu"] or "") else found["gpu"]
        counts = {"tp": found["tp"] or "1", "pp": found["pp"], "replicas": found["replicas"]}
        pool = {"gpu": gpu, **{name: int(count) for name, count in counts.items() if count}}
        _check_total(found["total"], pool, phrase)
        yield pool | ({"up_to": found["up_to"]} if found["up_to"] else {})
