"""Blocks of a cache that stay free when a prompt joins, so that what runs has room to grow: `--watermark 5%`."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fleettui.domain.features.feature import Feature
from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool

MOST = Fraction(1, 2)
ACCEPTED = "0% to 50%, or auto"


def written(text: str, where: str | None) -> str:
    """Return the share as it is written; raises InputError.

    >>> written("0.05", None), written("5.0%", None), written("0%", None)
    ('5%', '5%', '0%')
    """
    try:
        share = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise InputError("this is no share of the cache", where=where, value=text, accepted=ACCEPTED) from None
    if not 0 <= share <= MOST:
        raise InputError("so much of the cache cannot stay free", where=where, value=text, accepted=ACCEPTED)
    return f"{100.0 * float(share):.10g}%"


def kept_free(engine: Any, said: str, pool: Pool) -> Any:
    """Return the engine with that share of its blocks kept free, less where its longest request would find no room."""
    longest = math.ceil((pool.context + 2 * engine.drafting.drafts) / engine.block)
    room = max(engine.watermark, engine.blocks - longest)
    return replace(engine, watermark=min(int(engine.blocks * float(said.removesuffix("%")) / 100.0), room))


FEATURE = Feature(
    name="watermark",
    help="share of a cache kept free when a prompt joins (2% if not said), or auto",
    example="5%",
    accepted=ACCEPTED,
    written=written,
    rule=kept_free,
    gains="by formula nothing is preempted: what --watermark gains, verify tells",
    unset="of each cache stays free when a prompt joins",
    tried=("5%", "20%"),
    of_blocks=True,
)
