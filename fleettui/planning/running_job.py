"""A job under way: its heartbeat in the store, and the cancel that another program may ask for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fleettui.domain.job import Job, JobState
from fleettui.errors import FleettuiError, Interrupted, StoreError

if TYPE_CHECKING:
    from store import Store

HEARTBEAT = 0.3
"""Seconds between two looks at whether somebody asked to stop."""
MESSAGE = 100
"""Characters of an error that a job's line shows."""

log = logging.getLogger("fleettui.job")


class Pulse:
    """How far a job has come; it is written to the store a few times a second."""

    def __init__(self, store: Store, job: Job) -> None:
        self._store, self._job = store, job
        self.done, self.total, self.message = 0, 0, job.message
        self.broken = False

    def note(self, done: int, total: int, message: str) -> None:
        """Say how many replications of the present fleet are done."""
        self.done, self.total, self.message = done, total, message

    def beat(self) -> bool:
        """Write it down; return whether somebody asked the job to stop."""
        return self._store.beat(self._job.id, done=self.done, total=self.total, message=self.message)


def beat_or_skip(pulse: Pulse) -> bool:
    """Beat, unless the store refuses it just now; return whether somebody asked the job to stop."""
    try:
        return pulse.beat()
    except StoreError:  # the work itself will meet what lasts
        return False
    except Exception:
        if not pulse.broken:
            pulse.broken = True
            log.exception("a job's heartbeat has a bug")
        return False


@asynccontextmanager
async def at_work(store: Store, job: Job) -> AsyncIterator[Pulse]:
    """Keep a claimed job's heartbeat while the block runs, and note how it ended.

    The block is cancelled, and Interrupted raised, when somebody asks for it. Whatever ends it, what was stored stays
    and the job can be resumed, unless it is done.
    """
    pulse = Pulse(store, job)
    work = asyncio.current_task()
    assert work is not None, "a job runs in a task"
    asked = False

    async def watch() -> None:
        nonlocal asked
        while not beat_or_skip(pulse):
            await asyncio.sleep(HEARTBEAT)
        asked = True
        work.cancel()

    watching = asyncio.create_task(watch())
    state: JobState = "stopped"
    message = "stopped; what was finished is kept"
    try:
        yield pulse
        state, message = "done", ""
    except asyncio.CancelledError:
        if asked:
            work.uncancel()
            state, message = "cancelled", "cancelled; what was finished is kept"
            raise Interrupted(message) from None
        raise
    except FleettuiError as error:
        state, message = "failed", str(error).splitlines()[0][:MESSAGE]
        raise
    except Exception as error:
        state, message = "failed", f"a bug: {type(error).__name__}"
        raise
    finally:
        watching.cancel()
        beat_or_skip(pulse)
        store.end_job(job.id, state, message)
