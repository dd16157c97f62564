"""Work that outlives a command: what it is, how far it has come, who is at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JobKind = Literal["plan", "verify", "simulate", "study"]
JobState = Literal["running", "done", "failed", "cancelled", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. `running` with a live owner; `stopped` when its owner ended without finishing: it can be resumed.

    `plan` is the plan it works on, `candidate` the candidate it verifies (empty for kind plan); times are UTC,
    ISO-8601; `done` of `total` replications (total 0: unknown); `message` is what is under way or how it ended;
    `owner` is "host:pid:start" of the process at work; `cancelling` says that somebody asked it to stop.
    """

    id: str
    handle: str
    kind: JobKind
    title: str
    state: JobState
    plan: str
    candidate: str = ""
    seed: int = 1
    precision: float = 0.05
    created: str = ""
    heartbeat: str = ""
    finished: str = ""
    owner: str = ""
    done: int = 0
    total: int = 0
    message: str = ""
    cancelling: bool = False
