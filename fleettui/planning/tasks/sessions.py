"""The tasks of `sessions`: at which rate sessions of agents come to a plan's fleet, and one run of them."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.agents import Agents, longest
from fleettui.domain.fleet import Fleet
from fleettui.domain.schedulers import ScheduledRun
from fleettui.errors import InputError
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import scene_of
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation.agent_sessions import agents_run, rate_of, trace_of
from fleettui.simulation.draws import stream
from fleettui.simulation.layout import Engine

ROUTER = "session-affinity"
"""Rounds go back to the replica that has their cache."""


def rate(context: Context, *, source: SceneSource, fleet: Fleet, agents: Agents) -> float:
    """Return the sessions per second that come to `fleet`; raises InputError where one is too long for a replica."""
    context.check()
    engine = _engine(source, fleet)
    most = min(engine.longest(), scene_of(source).profile_of(fleet.pools[0]).context)
    for where, rounds in (("--short", agents.short), ("--long", agents.heavy)):
        if longest(rounds) > most:
            raise InputError(
                "a session's last round holds more tokens than a replica of the plan",
                where=where,
                value=longest(rounds),
                accepted=f"up to {most:,} tokens in all rounds",
                remedy="name shorter rounds, or plan with more GPUs to a replica: --tp 8",
            )
    return rate_of(agents, engine)


def replicate(
    context: Context, *, source: SceneSource, fleet: Fleet, agents: Agents, rate: float, seed: int, index: int
) -> ScheduledRun:
    """Run replication `index` of sessions that come to `fleet` at a rate; all schedulers meet the same ones."""
    make_ready(context.progress)
    context.check()
    front_end = fleet.pools[0].profile.front_end
    trace = trace_of(agents, rate, stream(seed, index, 0, "sessions"), front_end=front_end)
    return agents_run(trace, _engine(source, fleet), index=index, front_end=front_end)


def _engine(source: SceneSource, fleet: Fleet) -> Engine:
    pool = fleet.pools[0]
    profile = scene_of(source).profile_of(pool)
    return replace(Engine.of(pool, fleet.admission, hardware=profile), router=ROUTER)
