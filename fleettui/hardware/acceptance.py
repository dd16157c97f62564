"""How often drafts were accepted, as a server showed it: rates by position from a file.

The file has the accepted drafts of one verification on each line, as whole numbers, under a line of words or not; or it
is a server's `/metrics`, of which vLLM's counters by position are read. rate(i) is the share of verifications that
accepted i drafts at least (`domain/speculation.py`).
"""

from __future__ import annotations

import re

from fleettui.domain.speculation import MOST_DRAFTS, SAMPLED
from fleettui.domain.whole import whole
from fleettui.errors import InputError
from fleettui.hardware.file_bytes import read_text

LEAST = 100
"""Verifications below which a share is no rate."""
ACCEPTED = "a whole number of accepted drafts a line, or a server's /metrics with vllm:spec_decode_ counters"
_RATES = re.compile(r"[-+0-9.%/eE\s]*")
_COUNTER = re.compile(r"vllm:spec_decode_num_(drafts|accepted_tokens_per_pos)(?:_total)?(?:\{([^}]*)\})? ([0-9.eE+]+)")
_POSITION = re.compile(r'position="(\d+)"')


def with_rates(text: str) -> str:
    """Return what is said of drafts with rates in place of a file of them; as it is where there is no file.

    Raises InputError for a file that cannot be read, or shows fewer positions than there are drafts.
    """
    head, at, acceptance = text.strip().partition("@")
    path, colon, mode = acceptance.rpartition(":")
    if mode.strip().lower() != SAMPLED:
        path, colon, mode = acceptance, "", ""
    if not at or _RATES.fullmatch(path):
        return text
    shares = rates(path.strip())
    count = head.rpartition(":")[2].strip()
    drafts = len(shares) if (found := whole(count)) is None else found
    if drafts > len(shares):
        raise InputError(
            f"no draft at position {len(shares) + 1} was accepted",
            where=path.strip(),
            value=f"{drafts} drafts",
            accepted=f"1 to {len(shares)}",
        )
    return f"{head}@{'/'.join(f'{100.0 * share:.4g}%' for share in shares[:drafts])}{colon}{mode}"


def rates(path: str) -> tuple[float, ...]:
    """Return the rates by position that a file shows, those above 0; raises InputError."""
    text = _text(path)
    counts = _counters(text) if "vllm:spec_decode_" in text else _lines(text, path)
    verified, *accepted = counts
    if verified < LEAST:
        raise InputError(
            "so few verifications show no rate", where=path, value=f"{verified:g}", accepted=f"{LEAST} or more"
        )
    found = [min(one / verified, 1.0) for one in accepted[:MOST_DRAFTS]]
    kept = tuple(one for place, one in enumerate(found) if min(found[: place + 1]) > 0.0)
    if not kept:
        raise InputError("no draft was accepted", where=path, accepted=ACCEPTED)
    return kept


def _text(path: str) -> str:
    unread, example = "these are no rates", f"70%, 79%/48%/22%, or a file: {ACCEPTED}"
    return read_text(path, name="accepted drafts", accepted=ACCEPTED, unread=unread, example=example)


def _lines(text: str, path: str) -> list[float]:
    """Return how many verifications there were, and how many of them accepted 1, 2, ... drafts at least."""
    lines = [line.strip().rstrip(",") for line in text.splitlines()]
    head = 1 if lines and not lines[0].isdigit() else 0
    counts = [0] * (MOST_DRAFTS + 1)
    for number, line in enumerate(lines[head:], head + 1):
        if not line:
            continue
        accepted = whole(line)
        if accepted is None or accepted > MOST_DRAFTS:
            what = f"accepted drafts are a number from 0 to {MOST_DRAFTS}"
            raise InputError(what, where=f"{path} line {number}", value=line, accepted=ACCEPTED)
        counts[accepted] += 1
    return [float(sum(counts[least:])) for least in range(MOST_DRAFTS + 1)]


def _counters(text: str) -> list[float]:
    """Return the same of a server's counters, summed over its engines."""
    verified, accepted = 0.0, dict[int, float]()
    for name, labels, value in _COUNTER.findall(text):
        if name == "drafts":
            verified += float(value)
        elif position := _POSITION.search(labels):
            place = int(position[1])
            accepted[place] = accepted.get(place, 0.0) + float(value)
    return [verified, *(accepted.get(place, 0.0) for place in range(max(accepted, default=-1) + 1))]
