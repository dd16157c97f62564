"""Plain JSON lines: an optional time in seconds (or ISO 8601) and two token counts."""

from __future__ import annotations

from fleettui.workloads.formats.base import TraceFormat
from fleettui.workloads.formats.json_traces import Objects

OBJECTS = Objects(
    arrivals=("arrival", "timestamp", "arrival_s"),
    prompts=("input_tokens", "prompt_tokens"),
    outputs=("output_tokens", "completion_tokens"),
)

FORMAT = TraceFormat(
    name="jsonl",
    help=f"JSON lines: {OBJECTS.accepted} (time in seconds or ISO 8601, may be absent)",
    known_by="JSON lines",
    rows=OBJECTS,
    sample='{"arrival": 1.5, "input_tokens": 3, "output_tokens": 4}\n',
    requests=((1.5, 3, 4),),
)
