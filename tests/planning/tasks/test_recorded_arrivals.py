"""What arrivals need of a workload: kept where they rest on it, refused with what to do where it lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps, to_plain
from fleettui.domain.slo import Slo
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


def test_prefixes_are_kept_where_they_count_with_what_one_cache_would_find(tmp_path: Path) -> None:
    path = tmp_path / "hashes.csv"
    path.write_text(
        "arrival_s,input_tokens,output_tokens,prefix_hashes\n0,40,5,a b c\n3,40,5,a b d\n6,20,9,e f\n", encoding="utf-8"
    )
    asked = Question(workload=str(path), prefix_cache=True, slo=Slo(ttft=1.0))
    kept, left = (workload_of(one, longest=4_096) for one in (asked, replace(asked, prefix_cache=False)))
    assert left.prefixes is None
    assert "prefixes" not in to_plain(left)
    worked = with_record(asked, kept)
    assert worked.prefixes == kept.prefixes
    assert worked.prefix_hit == pytest.approx(32 / 100)
    assert with_record(replace(asked, prefix_cache=False), left).prefixes is None


def test_a_prefix_cache_of_prompts_of_which_nothing_is_known_is_refused(trace: str) -> None:
    for workload in (trace, "azure-2023-conv"):
        asked = Question(workload=workload, prefix_cache=True, slo=Slo(ttft=1.0))
        with pytest.raises(InputError, match="not known what its prompts share") as refusal:
            with_record(asked, workload_of(asked, longest=200_000))
        assert "--prefix-hit 40%" in str(refusal.value)


def test_a_router_that_sends_between_pools_plays_no_trace_in_order(tmp_path: Path) -> None:
    path = tmp_path / "hashes.csv"
    path.write_text(
        "arrival_s,input_tokens,output_tokens,prefix_hashes\n0,40,5,a b c\n3,40,5,a b d\n", encoding="utf-8"
    )
    asked = Question(workload=str(path), prefix_cache=True, router="spillover", pools=(2,), slo=Slo(ttft=1.0))
    with pytest.raises(InputError, match="sends between pools"):
        with_record(asked, workload_of(asked, longest=4_096))
    with_record(replace(asked, pools=(1,)), workload_of(asked, longest=4_096))


def test_sessions_are_kept_where_requests_come_in_them_with_what_one_cache_would_find(tmp_path: Path) -> None:
    path = tmp_path / "sessions.csv"
    path.write_text("session_id,input_tokens,output_tokens,think_s\na,40,5,\na,60,5,2.5\nb,30,4,\n", encoding="utf-8")
    asked = Question(workload=str(path), sessions=True, prefix_cache=True, slo=Slo(ttft=1.0))
    kept, left = (workload_of(one, longest=4_096) for one in (asked, replace(asked, sessions=False)))
    assert left.sessions is None
    assert "sessions" not in to_plain(left)
    worked = with_record(asked, kept)
    assert worked.rounds == kept.sessions
    assert worked.prefix_hit == pytest.approx(45 / 130)
    assert with_record(replace(asked, prefix_cache=False), kept).prefix_hit == 0.0
    with_record(replace(asked, router="spillover", pools=(2,)), kept)  # they are played together


def test_a_workload_without_sessions_and_a_router_of_sessions_without_them_are_refused(trace: str) -> None:
    asked = Question(workload=trace, sessions=True, slo=Slo(ttft=1.0))
    with pytest.raises(InputError, match="which requests belong to a session") as refusal:
        with_record(asked, workload_of(asked, longest=200_000))
    assert "session_id" in str(refusal.value)
    alone = Question(workload=trace, router="session-affinity", slo=Slo(ttft=1.0))
    with pytest.raises(InputError, match="come in none") as refusal:
        with_record(alone, workload_of(alone, longest=200_000))
    assert "add --sessions" in str(refusal.value)


def test_a_router_that_sends_by_loads_guesses_no_lengths(trace: str) -> None:
    asked = Question(workload=trace, length_error=0.4, router="spillover", pools=(2,), slo=Slo(ttft=1.0))
    with pytest.raises(InputError, match="not by lengths that it guesses"):
        with_record(asked, workload_of(asked, longest=200_000))
    with_record(replace(asked, router="length"), workload_of(asked, longest=200_000))
