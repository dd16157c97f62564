"""The Mooncake traces: JSON lines with a timestamp in milliseconds (in 3-second ticks) and token lengths."""

from __future__ import annotations

from fleettui.workloads.formats.base import TraceFormat
from fleettui.workloads.formats.cell_values import MILLISECONDS
from fleettui.workloads.formats.json_traces import Objects

OBJECTS = Objects(
    arrivals=("timestamp",),
    prompts=("input_length",),
    outputs=("output_length",),
    arrival_needed=True,
    unit=MILLISECONDS,
)

FORMAT = TraceFormat(
    name="mooncake",
    help=f"Mooncake trace, JSON lines: {OBJECTS.accepted} (timestamp in milliseconds)",
    known_by="Mooncake's JSON lines",
    rows=OBJECTS,
    sample='{"timestamp": 3000, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1]}\n',
    requests=((3.0, 6758, 500),),
)
