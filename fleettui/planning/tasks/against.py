"""The task `against`: a run that was served, played again on a fleet that a person wrote down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from fleettui.domain.against import Against
from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Origin, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.optimize.resize import sketch_of
from fleettui.planning.scheduler_checks import check_scheduler
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import Scene, model_of, read
from fleettui.planning.tasks.supported import check_supported
from fleettui.planning.tasks.verification import make_ready
from fleettui.reports import fleet_text
from fleettui.simulation.against import SERVED, batches, compared, played, worst
from fleettui.workloads.pairs import PairCounts
from fleettui.workloads.served_runs import ServedRun, read_run
from fleettui.workloads.trace_pass import lengths_of


def planned(context: Context, *, fleet: Fleet, question: Question, path: str) -> Against:
    """Return the same on a plan's own fleet, at the size that it has."""
    sketch = FleetSketch(
        router=fleet.router,
        router_refresh=fleet.router_refresh,
        admission=fleet.admission,
        pools=tuple(sketch_of(pool, pool.replicas, given=False) for pool in fleet.pools),
    )
    return run(context, sketch=sketch, question=replace(question, workload=path), path=path)


def run(context: Context, *, sketch: FleetSketch, question: Question, path: str) -> Against:
    """Return how the engine plays the run in a file on the fleet `sketch`; raises InputError for what cannot be.

    The run is the workload: its requests come as they came there.
    """
    question = replace(question, model=model_of(sketch.pools))
    check_supported(question)
    check_scheduler(question, sketch.admission)
    context.progress(f"reading {path}")
    served = read_run(Path(path))
    run = _records(served)
    seconds = float(run["finish"].max())
    if served.clients:
        seconds = float((run["finish"] - run["arrival"]).sum()) / served.clients
    cases, longest = read(question, _workload(served, seconds, path))
    scene = Scene(question=question, case=cases[0], rate=len(run) / seconds, context=longest)
    scored, profiles = scene.stage(sketch)
    fleet = scored.candidate.fleet
    total = int((run["prompt"].astype(np.int64) + run["output"]).max())
    if total > fleet.pools[-1].up_to:
        raise InputError(
            "a request of the run is longer than the fleet serves",
            where=path,
            value=f"{total} tokens",
            accepted=f"up to {fleet.pools[-1].up_to}",
            remedy=f"say up_to: {total} in the last pool, or --context {total}",
        )
    make_ready(context.progress)
    context.progress(f"playing {len(run):,} requests")
    engine, preempted = played(
        fleet,
        profiles,
        run,
        served.clients,
        seed=question.seed,
        kv_offload=question.kv_offload,
        features=question.features,
    )
    rows = np.array([one.place for one in served.requests])
    if served.clients:  # only the engine knows when the clients of a bench without times asked
        run = _asked_as(run, engine)
    return Against(
        requests=len(run),
        seconds=seconds,
        clients=served.clients,
        skipped=served.skipped,
        metrics=compared(run, engine),
        worst=worst(run, engine, rows),
        batches=() if served.clients else batches(run, engine),
        preempted=preempted,
        fleet=fleet_text.fleet(fleet),
    )


def _records(served: ServedRun) -> np.ndarray:
    found = np.zeros(len(served.requests), SERVED)
    for name in ("arrival", "prompt", "output"):
        found[name] = [getattr(one, name) for one in served.requests]
    found["first"] = [one.arrival + one.ttft for one in served.requests]
    found["finish"] = [one.arrival + one.e2e for one in served.requests]
    return found


def _asked_as(run: np.ndarray, engine: np.ndarray) -> np.ndarray:
    """Return a run whose requests are asked when the engine's are, each as long in the server as it was."""
    moved = run.copy()
    for name in ("first", "finish"):
        moved[name] += engine["arrival"] - run["arrival"]
    moved["arrival"] = engine["arrival"]
    return moved


def _workload(served: ServedRun, seconds: float, path: str) -> Workload:
    """Return the lengths of a run of so many seconds as a workload."""
    pairs = PairCounts()
    pairs.add(
        np.array([one.prompt for one in served.requests], np.int32),
        np.array([one.output for one in served.requests], np.int32),
    )
    rate = len(served.requests) / seconds
    whole = TimeSlice(start=0.0, duration=seconds, rate=rate, lengths=lengths_of(pairs))
    return Workload(name=Path(path).name, slices=(whole,), origin=Origin(source=path))
