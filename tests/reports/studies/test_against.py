"""A run beside the engine as a study: what is said of figures made up here."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.against import Against, Batch, Beside, Worst
from fleettui.reports.studies.against import against_study
from fleettui.reports.study_text import study_text
from tests.reports.studies.test_sweep import PLAN

FOUND = Against(
    requests=1200,
    seconds=60.0,
    clients=0,
    skipped=(("failed", 3),),
    metrics=(
        Beside(
            metric="ttft",
            requests=1200,
            run=(0.4, 0.3, 0.8, 1.6),
            engine=(0.5, 0.3, 1.0, 1.6),
            off=(0.1, 0.3, 0.9),
            bias=0.25,
        ),
        Beside(metric="tpot", requests=0, run=(), engine=(), off=(), bias=0.0),
    ),
    worst=(Worst(row=9, arrival=3.0, prompt=900, output=7, metric="ttft", run=0.4, engine=1.9),),
    batches=(Batch(start=0.0, run_waiting=1.0, run_decoding=20.0, waiting=2.0, decoding=24.0),),
    preempted=0,
    fleet="2 H100 tp2 x1",
)


def test_latencies_stand_beside_each_other_and_what_was_skipped_is_told() -> None:
    study = against_study(FOUND, "runs/bench.json", "against 41a7 runs/bench.json", seed=1, plan=PLAN.plan)
    assert (study.title, study.plan) == ("bench.json beside the engine", PLAN.plan.id)
    assert study.sentences == (
        "1,200 requests in 60 s, played on 2 H100 tp2 x1",
        "TTFT: the engine's mean 0.50 s, the run's 0.40 s; half of the requests are within 10%, nine in ten within 30%",
    )
    latencies, differences, batch, worst = study.tables
    assert [row[1:] for row in latencies.rows][:2] == [("mean", 0.4, 0.5, 0.25), ("P50", 0.3, 0.3, 0.0)]
    assert differences.rows == (("TTFT", 1200, 0.25, 0.1, 0.3, 0.9),)
    assert batch.rows == ((0.0, 20.0, 24.0, 1.0, 2.0),)
    assert worst.rows == (("TTFT", 9, 3.0, 900, 7, 0.4, 1.9),)
    assert study.warnings[0] == "rows left out: 3 failed"
    assert max(map(len, study_text(study).splitlines())) <= 80


def test_a_run_without_times_has_no_batch_over_time() -> None:
    study = against_study(replace(FOUND, clients=8, batches=(), preempted=4), "a.json", "simulate", seed=1)
    assert len(study.tables) == 3
    assert "the engine preempted 4 requests" in study.sentences
    assert any("8 clients send as they are answered" in one for one in study.warnings)
