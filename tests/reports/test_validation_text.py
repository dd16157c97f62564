import dataclasses

from fleettui.domain.validation import Comparison, MeasuredPoint, State, Summary, Validation
from fleettui.reports.validation_text import validation_text

POINT = MeasuredPoint(
    line=2,
    model="qwen3-235b-a22b",
    gpu="h100",
    dtype="bf16",
    engine="vllm",
    tp=8,
    prompt_tokens=8192,
    output_tokens=1024,
    concurrency=128,
    ttft=59.0,
    tpot=0.050,
)


def compared(state: State, predicted: float) -> Comparison:
    return Comparison(point=POINT, state=state, predicted_ttft=0.5, predicted_tpot=predicted)


GOOD, BAD, BOUND = compared("unsaturated", 0.0501), compared("unsaturated", 0.040), compared("kv-bound", 0.047)
SUMMARY = Summary(
    model="qwen3-235b-a22b",
    dtype="bf16",
    tp=8,
    points=3,
    unsaturated=2,
    kv_bound=1,
    impossible=0,
    mean_absolute_error=0.101,
    bias=-0.099,
    worst=BAD,
)


def test_worst_first_and_what_does_not_count_apart() -> None:
    text = validation_text(Validation(comparisons=(GOOD, BAD, BOUND), summaries=(SUMMARY,)))
    lines = text.splitlines()
    assert lines[2].split() == ["qwen3-235b-a22b", "bf16", "8", "3", "2", "1", "0", "0", "10%", "-10%", "-20%"]
    worst = lines.index("worst points")
    assert "-20%" in lines[worst + 2]
    assert lines[lines.index("points that do not count") + 2].endswith("-6%  KV")
    assert "1 run does not count, bound by the cache: line 2" in lines
    assert max(map(len, lines)) <= 80


def test_clients_that_wait_are_told_with_their_line_and_what_to_do() -> None:
    text = validation_text(Validation(comparisons=(GOOD, compared("queued", 0.2)), summaries=(SUMMARY,)))
    lines = text.splitlines()
    assert lines[lines.index("points that do not count") + 2].endswith("wait")
    told = " ".join(text.split())
    assert "1 run does not count, clients wait for a place: more of them brought" in told
    assert "or bench with fewer clients: line 2" in told
    assert "raise the" not in validation_text(Validation(comparisons=(GOOD, BOUND), summaries=(SUMMARY,)))


def test_nothing_counted_is_a_dash() -> None:
    empty = dataclasses.replace(SUMMARY, unsaturated=0, mean_absolute_error=None, bias=None, worst=None)
    text = validation_text(Validation(comparisons=(GOOD,), summaries=(empty,)))
    assert text.splitlines()[2].split()[-3:] == ["-", "-", "-"]
    assert "points that do not count" not in text


def test_rows_that_were_left_out_are_counted_with_why() -> None:
    skipped = (("TPOT is no time: lines 3, 7", 2),)
    text = validation_text(Validation(comparisons=(GOOD,), summaries=(SUMMARY,), skipped=skipped))
    assert "left out, 2 rows: TPOT is no time: lines 3, 7" in text


def test_throughput_and_the_mfu_that_the_measurements_imply_are_said() -> None:
    runs = tuple(
        dataclasses.replace(one, predicted_ttft=59.0, mfu=mfu) for one, mfu in ((GOOD, 0.25), (BAD, 0.45), (BOUND, 1.5))
    )
    said = " ".join(validation_text(Validation(comparisons=runs, summaries=(SUMMARY,))).split())
    slow, fast = (59.0 + 1023 * tpot for tpot in (0.0501, 0.040))
    measured = 59.0 + 1023 * 0.050
    median = ((measured / fast - 1) + (1 - measured / slow)) / 2
    assert f"Output tokens/s over 2 points that count: {median:.1%} off in the median" in said
    assert "MFU that the measurements imply: 35% in the median, 45% at most; above the peak" in said
    assert "another set-up: line 2." in said


def test_the_median_of_two_points_is_their_mean() -> None:
    text = validation_text(Validation(comparisons=(GOOD, BAD), summaries=(SUMMARY,)))
    assert "TPOT over 2 points that count: 10.1% off in the median" in " ".join(text.split())


def test_of_several_files_a_line_has_its_own() -> None:
    found = dataclasses.replace(BOUND, point=dataclasses.replace(POINT, file="b.json"))
    told = " ".join(validation_text(Validation(comparisons=(GOOD, found), summaries=(SUMMARY,))).split())
    assert "1 run does not count, b.json: bound by the cache: line 2" in told
