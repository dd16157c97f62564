"""Sessions in view 3: what each round found, and where it went."""

from dataclasses import replace

from fleettui.domain.plan import Estimate, Evidence, PoolEvidence
from fleettui.domain.sessions import RoundSeen
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run
from fleettui.reports.panes import told
from fleettui.reports.sessions_text import session_panes
from tests.planning.simulated import SHIPPED


def test_rounds_are_told_with_what_they_find_and_the_pools_they_go_to() -> None:
    best = run(Context(), question=replace(SHIPPED, pools=(2,), splits=(2048,))).answer.answer
    assert best is not None
    assert not session_panes(best)
    (short, long), none = best.fleet.pools, Estimate(value=None)
    rounds = {
        short.name: (RoundSeen(number=1, requests=50, prompt=50_000, found=0),),
        long.name: (
            RoundSeen(number=1, requests=50, prompt=250_000, found=0),
            RoundSeen(number=2, requests=100, prompt=800_000, found=600_000),
        ),
    }
    seen = tuple(
        PoolEvidence(name=name, ttft=none, tpot=none, utilization=0.5, batch=1.0, rounds=own)
        for name, own in rounds.items()
    )
    evidence = Evidence(method="simulation", verdict="pass", pools=seen, ttft=none, attainment=none)
    panes = session_panes(replace(best, evidence=evidence))
    text = told(panes, 80)
    assert "50.0 sessions begin every second, of 2 rounds on average" in text
    lines = [line.split() for line in text.splitlines()]
    first, second = (next(line for line in lines if line[:1] == [number]) for number in "12")
    assert first == ["1", "50%", "3,000", "0%", "50%", "50%"]
    assert second == ["2", "50%", "8,000", "75%", "0%", "100%"]
    assert "round 2 finds most: 75% of its prompt tokens" in text
