"""fleettui's own CSV: one run a row, times in milliseconds.

Beside COLUMNS it may have `uniform_lengths` (lengths drawn from 0.8 to 1 of those stated), `protocol` (start, steady or
open), `kv_dtype`, `request_rate` (open loop, a second), `requests`, `failed`, `duration_s`, `ttft_p50_ms`,
`ttft_p99_ms`, `tpot_p50_ms`, `tpot_p99_ms`, `output_throughput` (tokens a second), `version` (of the engine), and `ep`,
1 or the GPUs of a replica. Rows count only where `pp` and `attention_dp` are 1. A file with a column of SAMPLE is of
AIConfigurator's silicon sample (Apache-2.0), whose recipes had the caches of RECIPES.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from fleettui.domain.validation import Protocol
from fleettui.hardware.measured.base import Content, Format, Run, Times

COLUMNS = (
    "model",
    "gpu",
    "precision",
    "engine",
    "prompt_tokens",
    "output_tokens",
    "concurrency",
    "tp",
    "ttft_ms",
    "tpot_ms",
)
ALSO: Mapping[str, str] = {"precision": "dtype", "ttft_ms": "mean_ttft_ms", "tpot_ms": "mean_tpot_ms"}
"""Other names that columns have."""
MEASURED = ("prompt_tokens", "output_tokens", "ttft_ms", "tpot_ms")
"""Columns that no option can say for a file."""
SAMPLE = frozenset({"source_id", "kv_bound"})
RECIPES: Mapping[str, str] = {"trtllm": "fp8", "sglang": "fp8"}
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)


def missing(header: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of MEASURED that a header has under neither name, whatever the case."""
    names = {name.lower() for name in header}
    return tuple(column for column in MEASURED if column not in names and ALSO.get(column) not in names)


def read(content: Content) -> Iterator[Run]:
    """Yield the run of each row."""
    sample = not SAMPLE.isdisjoint(map(str.lower, content.header))
    for line, written in content.records():
        row = {name.lower(): cell for name, cell in written.items()}
        cells = row | {column: row.get(column) or row.get(other, "") for column, other in ALSO.items()}
        words = [one for one in PROTOCOLS if one == cells.get("protocol", "").strip().lower()]
        yield Run(
            line=line,
            model=cells.get("model"),
            gpu=cells.get("gpu"),
            engine=cells.get("engine"),
            version=cells.get("version"),
            dtype=cells["precision"],
            kv_dtype=cells.get("kv_dtype") or (RECIPES.get(cells.get("engine", "").lower()) if sample else None),
            tp=cells.get("tp"),
            ep=cells.get("ep"),
            prompt_tokens=cells["prompt_tokens"],
            output_tokens=cells["output_tokens"],
            concurrency=cells.get("concurrency"),
            rate=cells.get("request_rate"),
            duration=cells.get("duration_s"),
            requests=cells.get("requests"),
            failed=cells.get("failed"),
            output_throughput=cells.get("output_throughput"),
            ttft=Times(mean=cells["ttft_ms"], median=cells.get("ttft_p50_ms"), p99=cells.get("ttft_p99_ms")),
            tpot=Times(mean=cells["tpot_ms"], median=cells.get("tpot_p50_ms"), p99=cells.get("tpot_p99_ms")),
            protocol=words[0] if words else None,
            uniform=cells.get("uniform_lengths", "").strip().lower() in ("true", "1"),
            beyond={name: cells.get(name) for name in ("pp", "attention_dp")},
        )


FORMAT = Format(
    name="csv",
    help="a CSV with the columns " + ", ".join(COLUMNS) + ", times in milliseconds",
    sniff=lambda content: bool(content.header) and not missing(content.header),
    read=read,
)
