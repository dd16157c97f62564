"""CUDA-graph bins: the numbers of tokens of which an engine has captured steps; one between two is padded to the next.

Padded slots take their part of the matrices' time and hold no cache. A step of more tokens than the largest bin runs
as it is. Steps with prompts are padded, too, since their layers are captured piecewise, unless graphs are of whole
steps of decodes alone: decode:engine.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from fleettui.errors import InputError

OWN = "engine"
"""The word for an engine's own bins."""
WHERE = "--graph-bins"
DECODES = "decode:"
"""What stands before bins to which only steps of decodes alone are padded."""
EXAMPLE = "1,2,4,8-256/8 (8 to 256 by 8), or engine for its own; decode: before it pads no step with prompts"
TRIED = (OWN, "1,2,4,8-512/8", "1,2,4,8,16,32,64,128,256,512")
"""The bins that a search tries: an engine's own, closer ones and sparser ones."""
LARGEST, MOST = 65_536, 4096
_RANGE = re.compile(r"(\d{1,6})-(\d{1,6})/(\d{1,6})")


@cache
def bins(text: str, where: str | None = WHERE) -> tuple[int, ...]:
    """Return the bins that a text lists, smallest first; raises InputError.

    >>> bins("1,2,4,8-32/8")
    (1, 2, 4, 8, 16, 24, 32)
    """
    found: list[int] = []
    for part in text.replace(" ", "").split(","):
        span = _RANGE.fullmatch(part)
        if span is not None and int(span[3]) > 0:
            found += range(int(span[1]), int(span[2]) + 1, int(span[3]))
        elif part.isascii() and part.isdigit() and len(part) <= len(str(LARGEST)):
            found.append(int(part))
        else:
            raise InputError("this lists no numbers of tokens", where=where, value=part, accepted=EXAMPLE)
    if not found or len(found) > MOST or found[0] < 1 or found[-1] > LARGEST:
        raise InputError("no such bins", where=where, value=text, accepted=f"{EXAMPLE}; 1 to {LARGEST:,} tokens")
    for one, other in pairwise(found):
        if one >= other:
            raise InputError("bins rise", where=where, value=f"{other} behind {one}", accepted=EXAMPLE)
    return tuple(found)


def written(text: str, where: str | None = WHERE) -> str:
    """Return bins, or the word for an engine's own, as they are written; raises InputError for others.

    >>> written("Engine"), written("decode: 1, 2, 4")
    ('engine', 'decode:1,2,4')
    """
    said = text.strip().lower().replace(" ", "")
    listed, _ = of_steps(said)
    if listed != OWN:
        bins(listed, where)
    return said


def of_steps(said: str) -> tuple[str, bool]:
    """Return the bins as they are listed, and whether only steps of decodes alone are padded to them.

    >>> of_steps("decode:engine"), of_steps("1,2,4")
    (('engine', True), ('1,2,4', False))
    """
    return said.removeprefix(DECODES), said.startswith(DECODES)


def padded(tokens: int, ladder: Sequence[int]) -> int:
    """Return the tokens as which a step of so many runs.

    >>> [padded(tokens, (1, 2, 4, 8, 16, 32, 64)) for tokens in (1, 3, 33, 65)]
    [1, 4, 64, 65]
    """
    place = bisect_left(ladder, tokens)
    return ladder[place] if place < len(ladder) else tokens
