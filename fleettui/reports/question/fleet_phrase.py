"""A fleet in a line, as the screen writes it: h100 tp4 x6 to 4096 + tp8 x2, pools from the shortest requests on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fleettui.domain.fleet import Fleet
from fleettui.domain.layout import layout
from fleettui.errors import InputError

ACCEPTED = (
    "h100 tp4 x6 (6 replicas of 4 GPUs), 24 h100 tp4 (the same), h100 tp4 x6 to 4096 + tp8 x2 (pools by total tokens), "
    "or fleet.yaml"
)
_POOL = re.compile(
    r"(?:(?P<total>[\d,]+)\s+(?=[a-z./~]))?(?P<gpu>(?![td]p\s*\d|pp\s*\d|x\s*\d)\S+)?\s*"
    r"(?:(?P<layout>(?:tp\d+)?(?:dp\d+)?/(?:tp\d+)?(?:ep\d+)?)|tp\s*(?P<tp>\d+)|dp\s*(?P<dp>\d+))?"
    r"\s*(?:pp\s*(?P<pp>\d+))?(?:\s*[x×*]\s*(?P<replicas>\d+))?"
    r"(?:\s*(?:up\s+)?to\s+(?P<up_to>[\d.,_]+k?))?",
    re.IGNORECASE,
)


_DIVISION = re.compile(r"\s[td]p\s*\d", re.IGNORECASE)
"""What no other text has than one that was meant to be a fleet."""


def fleet_text(phrase: str) -> str:
    """Return the fleet as the text of a file, JSON, that leaves the model to the question.

    Raises InputError with an example.

    >>> fleet_text("H100 tp4 x6"), fleet_text("24 H100 tp4") == fleet_text("h100 tp4 x6")
    ('{"pools": [{"gpu": "h100", "tp": 4, "replicas": 6}]}', True)
    """
    return json.dumps({"pools": list(_pools(phrase))})


def phrase_of(fleet: Fleet) -> str:
    """Return the line that reads back as a fleet's pools; empty where a line does not say all of it.

    What a line leaves out is compression, spares, and pools of several models, number formats or settings of experts.
    """
    alike = {
        (pool.model, pool.dtype, pool.kv_dtype, pool.expert_parallel and not pool.layout, pool.spares)
        for pool in fleet.pools
    }
    if fleet.gamma > 1.0 or len(alike) > 1 or fleet.pools[0].spares:
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


def _replicas(total: str | None, each: int, phrase: str) -> int:
    """Return how many replicas of `each` GPUs the GPUs come to that are said instead; raises InputError."""
    if total is None:
        raise InputError(
            "the number of replicas is missing",
            where="fleet",
            value=phrase,
            accepted=ACCEPTED,
            remedy="add x and how many replicas there are, or write the GPUs before",
        )
    gpus = int(total.replace(",", "") or 0)
    if gpus < each or gpus % each:
        raise InputError(
            f"{gpus} GPUs are no whole number of replicas of {each}",
            where="fleet",
            value=phrase,
            accepted=f"a multiple of {each} GPUs, or x and the number of replicas",
            remedy=f"write {max(gpus // each, 1) * each} GPUs or {(gpus // each + 1) * each}, or another tp",
        )
    return gpus // each


def is_phrase(text: str) -> bool:
    """Return whether `text` reads as a fleet in a line, or was meant to: a GPU, its tp and a number of them.

    >>> is_phrase("h100 tp4 x3"), is_phrase("12 h100 tp5"), is_phrase("h100 tp8 6"), is_phrase("fleet.yaml")
    (True, True, True, False)
    """
    reads = all(_POOL.fullmatch(part.strip()) for part in text.split("+"))
    return " " in text.strip() and (reads or _DIVISION.search(text) is not None)


def _divided(found: re.Match[str]) -> dict[str, Any]:
    """Return how replicas are divided that a pool says: tp4, tp8pp2, dp8 (attention divides sequences), or a layout."""
    stages = {"pp": int(found["pp"])} if found["pp"] else {}
    if found["layout"]:
        said = layout(found["layout"], "fleet")
        return {"tp": said.gpus, "layout": said.text, **stages}
    if found["dp"]:
        return {"tp": int(found["dp"]), "attention_dp": True, **stages}
    return {"tp": int(found["tp"] or 1), **stages}


def _pools(phrase: str) -> Iterator[dict[str, Any]]:
    gpu = ""
    for part in phrase.split("+"):
        found = _POOL.fullmatch(part.strip())
        if found is None or not (found["gpu"] or gpu):
            raise InputError("this is no fleet", where="fleet", value=phrase, accepted=ACCEPTED)
        gpu = (found["gpu"] or gpu).lower() if "/" not in (found["gpu"] or "") else found["gpu"]
        divided = _divided(found)
        each = divided["tp"] * divided.get("pp", 1)
        replicas = found["replicas"] or _replicas(found["total"], each, phrase)
        pool = {"gpu": gpu, **divided, "replicas": int(replicas)}
        _check_total(found["total"], pool, phrase)
        yield pool | ({"up_to": found["up_to"]} if found["up_to"] else {})
