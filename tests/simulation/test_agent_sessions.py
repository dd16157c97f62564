"""Sessions of agents: the trace is the templates', and a run's figures are those of its answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.agents import FIGURES, HEAVY, SHORT, Agents
from fleettui.simulation.agent_sessions import Trace, agents_run, rate_of, requests_of, trace_of, work
from tests.simulation.samples import engine

OWN = engine(budget=2048, places=64, replicas=2, router="session-affinity", base=0.006, per_prompt=3e-5)


def made(**changes: object) -> Trace:
    agents = replace(Agents(sessions=30, share=0.3), **changes)  # type: ignore[arg-type]
    return trace_of(agents, 0.5, np.random.default_rng(7))


@pytest.mark.parametrize("short", [SHORT, ((100, 5), (30, 7))])
def test_a_session_holds_what_went_before(short: tuple[tuple[int, int], ...]) -> None:
    trace = made(short=short)
    draws = trace.draws
    assert draws.rounds is not None
    assert draws.prefixes is not None
    assert 0 < trace.heavy.sum() < trace.sessions
    for one in range(trace.sessions):
        template = HEAVY if trace.heavy[one] else short
        number, before = one, 0
        for place, (fresh, output) in enumerate(template):
            assert (trace.session[number], trace.place[number]) == (one, place)
            assert (draws.prompt[number], draws.output[number]) == (before + fresh, output)
            before += fresh + output
            assert draws.prefixes.known[number] == before // 64
            last, number = number, int(draws.rounds.then[number])
        assert number == -1
        assert draws.prefixes.lengths[one] == before // 64
        assert trace.answers[one] == last


def test_sessions_come_at_the_rate_that_is_asked() -> None:
    """Over 4,000 sessions at one in two seconds, which scatters by 1.6 %."""
    arrivals = made(sessions=4000).draws.arrivals
    assert arrivals is not None
    assert np.nanmax(arrivals) == pytest.approx(8000.0, rel=0.05)


@pytest.mark.thorough
def test_figures_are_those_of_answers_without_the_first_sessions() -> None:
    trace = made(short=((400, 20), (100, 10)), heavy=((2000, 20), (500, 10), (100, 10)))
    served, found = requests_of(trace, OWN), agents_run(trace, OWN, index=3)
    values = dict(zip((one.name for one in FIGURES), found.values, strict=True))
    waits = [
        served["first"][answer] - served["arrival"][one]
        for one, answer in enumerate(trace.answers.tolist())
        if one >= 3
    ]
    assert found.index == 3
    assert values["attft"] == pytest.approx(np.mean(waits))
    assert values["attft_p95"] == pytest.approx(np.quantile(waits, 0.95))
    hidden = sum(40 - 10 if heavy else 20 for heavy in trace.heavy)
    assert values["hidden"] == pytest.approx(hidden / served["finish"].max())
    later = agents_run(trace, OWN, index=3, front_end=0.5)
    assert (later.values[1] or 0.0) == pytest.approx(np.mean(waits) + 0.5)


@pytest.mark.thorough
def test_without_heavy_sessions_there_is_no_figure_of_theirs() -> None:
    trace = made(short=((400, 20), (100, 10)), share=0.0)
    values = dict(zip((one.name for one in FIGURES), agents_run(trace, OWN, index=0).values, strict=True))
    assert values["heavy_p95"] is None
    assert values["short_p95"] == values["attft_p95"]


@pytest.mark.thorough
def test_the_rate_is_a_load_of_all_replicas_unless_it_is_said() -> None:
    agents = Agents(share=0.0, load=0.5)
    seconds = 6400 * (OWN.per_prompt + OWN.base / OWN.budget)
    assert work(agents, OWN) == pytest.approx(seconds)
    assert rate_of(agents, OWN) == pytest.approx(2 * 0.5 / seconds)
    assert rate_of(replace(agents, rate=3.0), OWN) == 3.0
