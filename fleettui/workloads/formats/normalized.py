"""The normalized CSV: seconds on the file's clock or dates (empty or absent: untimed) and tokens."""

from __future__ import annotations

from fleettui.workloads.formats.base import TraceFormat
from fleettui.workloads.formats.csv_traces import SECONDS_OR_DATES, Table

TABLE = Table(
    arrival="arrival_s",
    prompt="input_tokens",
    output="output_tokens",
    arrival_needed=False,
    times=SECONDS_OR_DATES,
    others=("timestamp", "arrival", "arrival_time", "arrived_at", "start_time", "time"),
)

FORMAT = TraceFormat(
    name="normalized",
    help=f"CSV with at least {TABLE.header} (arrival in seconds or a date, may be empty; or a column timestamp)",
    known_by=f"CSV with {TABLE.header}",
    rows=TABLE,
    sample="arrival_s,input_tokens,output_tokens,prefix_hashes\n0.250,6758,500,0 1 2\n2,7,5,\n",
    requests=((0.25, 6758, 500), (2.0, 7, 5)),
)
