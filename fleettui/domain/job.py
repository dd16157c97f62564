"""Work that outlives a command: what it is, how far it has come, who is at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain.serialization import later

JobKind = Literal["plan", "verify", "simulate", "study"]
JobState = Literal["running", "done", "failed", "cancelled", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. `running` with a live owner; `stopped` when its owner ended without finishing: it can be resumed.

    `plan` is the plan it works on (empty for kind study), `candidate` the candidate it verifies (empty for kind plan);
    times are UTC, ISO-8601; `done` of `total` replications or pieces (total 0: unknown); `message` is what is under way
    or how it ended; `owner` is "host:pid:start" of the process at work; `cancelling` says that somebody asked it to
    stop. Of kind study `asked` is what was asked for, as `fleettui.planning.study_job` writes it, and `study` the id of
    what it came to, once it is done.
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
    asked: str = later("")
    study: str = later("")
