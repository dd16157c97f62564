"""What arrivals need of a workload: kept where they rest on it, refused with what to do where it lacks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fleettui.domain.scenario import Question, Slo
from fleettui.domain.serialization import dumps, to_plain
from fleettui.errors import InputError
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.recorded_arrivals import with_record


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Return the path of a trace of whole seconds, several requests in each."""
    seconds = np.sort(np.random.default_rng(1).integers(0, 400, 2_000))
    rows = [f"{second},{100 + place % 7},{20 + place % 5}" for place, second in enumerate(seconds.tolist())]
    path = tmp_path / "ticks.csv"
    path.write_text("arrival_s,input_tokens,output_tokens\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def question(workload: str, arrivals: str) -> Question:
    return Question(workload=workload, arrivals=arrivals, slo=Slo(ttft=1.0))


def test_times_are_kept_to_be_replayed_alone_and_spread_over_their_ticks(trace: str) -> None:
    kept, left = (workload_of(question(trace, one), longest=4_096) for one in ("replay", "poisson"))
    assert left.times == ()
    assert "times" not in to_plain(left)
    assert len(kept.times) == 2_000
    assert kept.times[0] == 0.0
    assert len(set(kept.times)) == 2_000, "no two of them at the same instant"
    assert dumps(kept).startswith(dumps(left)[:20])
    worked = with_record(question(trace, "replay"), kept)
    assert worked.record is not None
    assert worked.record.times == kept.times
    assert with_record(question(trace, "poisson"), kept).record is None


@pytest.mark.parametrize(
    ("workload", "arrivals", "remedy"),
    [
        ("azure-2023-conv", "replay", "--arrivals bursty"),
        ("agent-heavy-paper", "replay", "gamma:cv=2"),
        ("agent-heavy-paper", "bursty", "gamma:cv=2"),
    ],
)
def test_a_workload_without_times_is_refused_with_a_remedy(workload: str, arrivals: str, remedy: str) -> None:
    asked = question(workload, arrivals)
    known = workload_of(asked, longest=200_000)
    with pytest.raises(InputError, match="needs the times") as refusal:
        with_record(asked, known)
    assert remedy in str(refusal.value)
    assert len(str(refusal.value).splitlines()) <= 3


def test_few_requests_are_not_replayed(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    rows = [f"{10 * place},100,20" for place in range(50)]
    path.write_text("arrival_s,input_tokens,output_tokens\n" + "\n".join(rows) + "\n", encoding="utf-8")
    asked = question(str(path), "replay")
    with pytest.raises(InputError, match="there are 50 requests"):
        with_record(asked, workload_of(asked, longest=4_096))


@pytest.mark.parametrize("second", ["-3", "2"])
def test_times_that_fall_or_are_negative_are_refused(tmp_path: Path, second: str) -> None:
    path = tmp_path / "falls.csv"
    path.write_text(f"arrival_s,input_tokens,output_tokens\n5,100,20\n{second},100,20\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"falls\.csv"):
        workload_of(question(str(path), "replay"), longest=4_096)
