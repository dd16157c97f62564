"""The Azure LLM Inference Traces: CSV with date and time, context tokens and generated tokens."""

from __future__ import annotations

from fleettui.workloads.formats import cells, columns
from fleettui.workloads.formats.base import TraceFormat
from fleettui.workloads.formats.tables import Table

TABLE = Table(
    arrival="TIMESTAMP",
    prompt="ContextTokens",
    output="GeneratedTokens",
    arrival_needed=True,
    times=columns.moments,
    time=cells.clock,
)

FORMAT = TraceFormat(
    name="azure",
    about=f"Azure LLM Inference Trace, CSV: {TABLE.header}",
    sniff=TABLE.known_in,
    read=TABLE.read,
)
