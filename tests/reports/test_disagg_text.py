"""View 4 as text: what the plan's replicas do, and both ways as a study has them."""

import dataclasses

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports.disagg_text import APART_TAKEN, UNSEARCHED, ways_to_take
from tests.reports.conftest import disagg_text
from tests.reports.studies.test_disagg import study
from tests.reports.test_routing_text import joined, row


def test_prefill_and_decode_share_the_steps(best: Candidate, proven: Candidate, question: Question) -> None:
    text = disagg_text(best, question)
    assert "P99 TPOT is 34 ms in the worst pool" in joined(text)
    assert "a step with a full prompt chunk, is 61 ms" in joined(text)
    assert row(text, "long") == ["long", "2,048", "61", "ms", "0.18", "s", "34", "ms", "KV", "memory"]
    rank = dataclasses.replace(question, slo=dataclasses.replace(question.slo, percentile=0.95))
    assert "P95 prefill" in disagg_text(proven, rank)


def test_a_kept_study_stands_first(best: Candidate, question: Question) -> None:
    plain, told = disagg_text(best, question), disagg_text(best, question, 78, study=study())
    assert joined(plain).startswith(UNSEARCHED.format(before=""))
    assert "at 100/s within P99 TTFT<500ms TPOT<50ms, beside fleets like H100 tp4 x4 + tp4 x2 ($71/h)" in joined(plain)
    assert told.startswith(study().sentences[0][:40])
    assert "apart" in told
    assert "Every replica does both" in joined(told)
    assert max(map(len, told.splitlines())) <= 78


def test_a_fleet_of_either_way_is_taken_with_its_gpus_and_their_division() -> None:
    together, apart = ways_to_take(study())
    assert (together.texts["gpu"], together.texts["tp"], together.told) == ("h100", "8", "")
    assert together.texts["token-budget"].isdecimal()
    assert apart.texts == {"gpu": "h100", "tp": "4", "pp": "1"}
    assert apart.told == APART_TAKEN
    assert apart.words == "apart  H100 tp4 x10 > H100 tp4 x4  $165/h"
