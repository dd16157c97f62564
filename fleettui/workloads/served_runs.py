"""Runs of servers and of other simulators, a row a request: when it came, its tokens, its first and its last token.

A file is what `vllm bench serve --save-result --save-detailed` writes, one JSON object with lists, or JSON lines, an
object a request. Times are seconds on any clock. A row that cannot be is skipped and counted; a file in which none can
be is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fleettui.errors import InputError
from fleettui.workloads.formats.line_blocks import opened

LARGEST = 256 * 10**6
"""Bytes that a file may have when it is unpacked: a bench keeps every text that it was answered."""
MOST_REQUESTS = 200_000
MOST_TOKENS = 2**24
LONGEST = 1e7
"""Seconds that a run may take at most."""
BENCH = ("input_lens", "output_lens", "ttfts", "itls")
ARRIVALS = ("arrival", "arrival_time", "arrived_at", "start_time", "timestamp", "arrival_s")
PROMPTS = ("input_tokens", "prompt_tokens", "input_len", "prompt_len", "num_prefill_tokens")
OUTPUTS = ("output_tokens", "completion_tokens", "output_len", "num_decode_tokens")
TTFTS = ("ttft", "time_to_first_token", "ttft_s", "prefill_e2e_time")
ENDS = ("e2e", "e2el", "latency", "e2e_latency", "request_e2e_time")
ACCEPTED = "what vllm bench serve --save-result --save-detailed writes, or JSON lines with " + ", ".join(
    names[0] for names in (ARRIVALS, PROMPTS, OUTPUTS, TTFTS, ENDS)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRequest:
    """A request as it was served: its place in the file, its arrival, its tokens, seconds to its first and last."""

    place: int
    arrival: float
    prompt: int
    output: int
    ttft: float
    e2e: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRun:
    """The requests of a run by their arrival, the first at 0, and how many rows of its file were skipped, with why.

    Where no times were kept, `clients` sent the next request each as one was answered, all of them together at 0.
    """

    requests: tuple[ServedRequest, ...]
    skipped: tuple[tuple[str, int], ...]
    clients: int = 0


class _Skipped(Exception):
    """A row that cannot be."""


def read_run(path: Path) -> ServedRun:
    """Return the run in a file; raises InputError where it cannot be read, is no run or holds none."""
    text = _text(path)
    whole = _object(text)
    if whole is not None and all(isinstance(whole.get(name), list) for name in BENCH[:3]):
        rows, clients = _bench_rows(whole, path)
    else:
        rows, clients = _line_rows(text, path), 0
    found, skipped = list[ServedRequest](), dict[str, int]()
    for place, row in enumerate(rows):
        if len(found) >= MOST_REQUESTS:
            raise InputError("the run is too long", where=str(path), accepted=f"up to {MOST_REQUESTS:,} requests")
        try:
            found.append(_request(place, row))
        except _Skipped as why:
            skipped[str(why)] = skipped.get(str(why), 0) + 1
    if not found:
        told = ", ".join(f"{count} {why}" for why, count in skipped.items())
        raise InputError("no row is a served request", where=str(path), value=told or None, accepted=ACCEPTED)
    start = min(one.arrival for one in found)
    shifted = [_shifted(one, start) for one in found]
    if max(one.arrival + one.e2e for one in shifted) > LONGEST:
        raise InputError(
            "the run takes too long",
            where=str(path),
            value=f"{max(one.arrival + one.e2e for one in shifted):.3g} s",
            accepted=f"up to {LONGEST:.0e} s; times are in seconds",
        )
    ordered = shifted if clients else sorted(shifted, key=lambda one: (one.arrival, one.place))
    return ServedRun(requests=tuple(ordered), skipped=tuple(sorted(skipped.items())), clients=clients)


def _shifted(one: ServedRequest, start: float) -> ServedRequest:
    return ServedRequest(
        place=one.place,
        arrival=one.arrival - start,
        prompt=one.prompt,
        output=one.output,
        ttft=one.ttft,
        e2e=one.e2e,
    )


def _text(path: Path) -> str:
    with opened(path) as file:
        held = file.read(LARGEST + 1)
    if len(held) > LARGEST:
        raise InputError("the file is too large", where=str(path), accepted=f"up to {LARGEST // 10**6} MB")
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not text", where=str(path), accepted=ACCEPTED) from None


def _object(text: str) -> dict[str, Any] | None:
    """Return the text as one JSON object, None where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _bench_rows(whole: Mapping[str, Any], path: Path) -> tuple[Iterator[Mapping[str, Any]], int]:
    """Return the rows of what a bench has written, and its clients where it kept no times.

    Raises InputError where lists differ in length, and where nothing says when requests came.
    """
    counts = {name: len(whole[name]) for name in (*BENCH, "start_times") if isinstance(whole.get(name), list)}
    if len(set(counts.values())) > 1:
        raise InputError(
            "the lists differ in length",
            where=str(path),
            value=", ".join(f"{name} {count}" for name, count in counts.items()),
            accepted="one entry per request in each",
        )
    if "itls" not in counts:
        raise InputError("the times between tokens are missing", where=f"{path}: itls", remedy="add --save-detailed")
    starts, clients = whole.get("start_times"), 0
    if not isinstance(starts, list):
        starts, clients = [0.0] * counts["itls"], _clients(whole, path)
    lists = (starts, *(whole[name] for name in BENCH), whole.get("errors") or [None] * counts["itls"])
    return (
        {"arrival": one[0], "input_tokens": one[1], "output_tokens": one[2], "ttft": one[3], "itl": one[4]}
        | ({"error": one[5]} if one[5] else {})
        for one in zip(*lists, strict=False)
    ), clients


def _clients(whole: Mapping[str, Any], path: Path) -> int:
    """Return how many clients a bench without times had; raises InputError where it sent requests at a rate."""
    if whole.get("request_rate") not in ("inf", math.inf, None):
        raise InputError(
            "nothing says when each request was sent",
            where=f"{path}: start_times",
            remedy="run the bench of a newer vLLM, which keeps start_times, or with --request-rate inf",
        )
    clients = whole.get("max_concurrency") or len(whole["itls"])
    if not isinstance(clients, int) or isinstance(clients, bool) or clients < 1:
        raise InputError("this is no number of clients", where=f"{path}: max_concurrency", value=clients)
    return min(clients, len(whole["itls"]))


def _line_rows(text: str, path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of JSON lines; an empty one for a line that is none."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError("the file is empty", where=str(path), accepted=ACCEPTED)
    yield from (_object(line) or {} for line in lines)


def _request(place: int, row: Mapping[str, Any]) -> ServedRequest:
    """Return a row as a request; raises _Skipped with why it is none."""
    if row.get("error"):
        raise _Skipped("failed")
    arrival, prompt, output = (_number(row, names) for names in (ARRIVALS, PROMPTS, OUTPUTS))
    ttft = _number(row, TTFTS)
    gaps = row.get("itl")
    e2e = ttft + _sum(gaps) if isinstance(gaps, list) else _number(row, ENDS)
    if not (1 <= prompt <= MOST_TOKENS and 1 <= output <= MOST_TOKENS) or prompt % 1 or output % 1:
        raise _Skipped("with tokens that cannot be")
    if not 0.0 < ttft <= e2e + 1e-9:
        raise _Skipped("with times that cannot be")
    return ServedRequest(
        place=place, arrival=arrival, prompt=int(prompt), output=int(output), ttft=ttft, e2e=max(e2e, ttft)
    )


def _number(row: Mapping[str, Any], names: Sequence[str]) -> float:
    value = next((row[name] for name in names if name in row), None)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        raise _Skipped(f"without {names[0]}")
    return float(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _sum(gaps: list[Any]) -> float:
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and _finite(one) for one in gaps):
        raise _Skipped("with times that cannot be")
    return math.fsum(gaps)
