"""A cluster on this machine, to try: `python -m fleettui.planning.cluster.local 4` is a scheduler with four workers.

It is a process of its own, in a session of its own, which ends with the pipe that it was started with: inside a
running app Dask cannot start its workers, which `multiprocessing` spawns. Whoever reaches a scheduler can run any
program on its workers, and other users reach this machine's ports: so it speaks TLS alone, by a certificate of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fleettui.errors import WorkerError
from fleettui.planning.cluster.address import TLS_FILES, Files
from fleettui.planning.worker_main import NICENESS

SELDOM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
}
"""How seldom scheduler and workers look at themselves: otherwise up to a hundred times a second, for a twentieth of a
core."""
START_TIME = 60.0
"""Seconds in which it must tell its address, on a machine that does much else."""


@asynccontextmanager
async def started(workers: int) -> AsyncIterator[tuple[str, Files]]:
    """Start a cluster of `workers` processes, give its address with its certificate, and kill it at the end.

    Raises WorkerError.
    """
    command = (sys.executable, "-P", "-m", __name__, str(workers))
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
    )
    assert process.stdout is not None, "its address comes through a pipe"
    try:
        async with asyncio.timeout(START_TIME):
            line = await process.stdout.readline()
        if not line:
            raise WorkerError("the cluster on this machine ended before it was there")
        address, *pem = json.loads(line)
        yield address, tuple(zip(TLS_FILES, pem, strict=True))
    except TimeoutError:
        raise WorkerError(f"the cluster on this machine did not start within {START_TIME:.0f} s") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def main() -> None:
    """Serve until the standard input ends: whoever started this is gone then."""
    import dask
    from distributed import LocalCluster, Security

    os.nice(NICENESS)
    dask.config.set(SELDOM)
    made = Security.temporary()
    with LocalCluster(
        n_workers=int(sys.argv[1]),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=None,
        protocol="tls://",
        security=made,
    ) as cluster:
        pem = (made.tls_ca_file, made.tls_client_cert, made.tls_client_key)
        sys.stdout.write(json.dumps([cluster.scheduler_address, *pem]) + "\n")
        sys.stdout.flush()
        sys.stdin.read()
        os.killpg(0, signal.SIGKILL)  # at once, as workers end


if __name__ == "__main__":
    main()
