from dataclasses import replace

import pytest

from fleettui.compression.compressor import Reason
from fleettui.domain.borderline import Band
from fleettui.domain.compression_procedure import Procedure
from fleettui.domain.compression_trial import Trials, Tried
from fleettui.domain.study import Study
from fleettui.reports.studies.compression import REASONS, CompressionStory

BAND = Band(split=8192, gamma=1.5)


def tried(number: int, category: str = "prose", reason: str = "") -> Tried:
    return Tried(
        prompt=10_000,
        output=300,
        kept=10_000 if reason else 7500 + number,
        category=category,
        reason=reason,
        seconds=0.001 * (number + 1),
        rouge_recall=0.75,
        cosine=0.99,
        bertscore=0.9 if number == 3 and not reason else None,
    )


def study(*found: Tried, skipped: dict[str, int] | None = None, judge: str | None = None) -> Study:
    trials = Trials(short=5, beyond=2, tried=found, skipped=skipped or {})
    procedure, counter = Procedure(band=BAND), "their bytes, with a margin of 8%"
    story = CompressionStory(trials=trials, procedure=procedure, counter=counter, judge=judge, asked="compress x")
    return story.study()


def test_the_share_is_of_those_that_have_room() -> None:
    found = study(*(tried(n) for n in range(30)), *[tried(0, "code", "code")] * 10, tried(0, "prose", "no room"))
    band, categories, reasons, times, kept = (table.records() for table in found.tables)
    assert (band[0]["p_c"], band[0]["borderline"]) == (0.75, 41)
    assert (band[0]["p50"], band[0]["p99"]) == (pytest.approx(0.015), pytest.approx(0.030))
    assert band[0]["mean"] == pytest.approx((sum(range(1, 31)) + 10) / 40_000)
    assert found.sentences[1].endswith("; over all 48 prompts that is 9.9 ms each")
    assert [(row["category"], row["p_c"]) for row in categories] == [("code", 0.0), ("prose", 1.0)]
    assert {row["reason"]: row["prompts"] for row in reasons} == {"code": 10, "no room": 1}
    assert times[0]["category"] == "all"
    assert {row["figure"] for row in kept} == {"token reduction", "ROUGE-L recall", "TF-IDF cosine", "BERTScore F1"}
    assert found.sentences[0].startswith("p_c, the share that compresses, is 75.0% (59.8% to 85.8%")


def test_what_is_kept_of_those_that_lose_little_is_told_beside_all() -> None:
    def told(*kept: int) -> str:
        found = study(*(replace(tried(0), kept=one, rouge_recall=one / 10_000) for one in kept))
        return found.sentences[2]

    assert told(9000, 8000, 5000).endswith("(0.850 and 0.990 for the 2 that lose at most 30%)")
    assert "at most 30%" not in told(9000, 8000)
    assert "at most 30%" not in told(5000)


def test_nothing_borderline_measures_no_share() -> None:
    found = study(tried(0, "prose", "no room"), skipped={"not JSON": 3})
    assert found.sentences[0].startswith("no prompt is borderline with room")
    assert found.tables[0].records()[0]["p_c"] is None
    assert found.warnings == ("3 lines were left out: 3 not JSON",)


def test_every_reason_of_the_compressor_has_words() -> None:
    assert set(REASONS) == set(Reason.__args__)  # type: ignore[attr-defined]


def test_what_bertscore_is_of_and_why_there_is_none_is_said() -> None:
    def told(judge: str | None, *numbers: int) -> str:
        (found,) = (one for one in study(*map(tried, numbers), judge=judge).sentences if "BERTScore" in one)
        return found

    assert told(None, 1, 2).startswith("BERTScore is absent: no model was named; --bertscore roberta-large")
    assert "of so few prompts none is scored" in told("layer 17 of roberta-large", 1, 2)
    by_model = told("layer 17 of roberta-large", 2, 3)
    assert by_model.startswith("BERTScore F1 by layer 17 of roberta-large is 0.900 over 1 compressed prompts")
