"""The Azure LLM Inference Traces: CSV with date and time, context tokens and generated tokens."""

from __future__ import annotations

from fleettui.workloads.formats.base import TraceFormat
from fleettui.workloads.formats.csv_traces import DATES, Table

TABLE = Table(
    arrival="TIMESTAMP",
    prompt="ContextTokens",
    output="GeneratedTokens",
    arrival_needed=True,
    times=DATES,
)

FORMAT = TraceFormat(
    name="azure",
    help=f"Azure LLM Inference Trace, CSV: {TABLE.header}",
    known_by="Azure's CSV",
    rows=TABLE,
    sample="TIMESTAMP,ContextTokens,GeneratedTokens\r\n1970-01-01 00:00:05.9799600,4808,10\r\n",
    requests=((5.97996, 4808, 10),),
)
