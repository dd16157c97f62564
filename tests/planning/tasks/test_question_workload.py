import json
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.scenario import Question
from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.tasks.question_workload import lengths_today, workload_of

EVERYTHING = 2**24


def test_a_shipped_name_is_read(question: Question) -> None:
    assert workload_of(question, longest=EVERYTHING).name == "azure-2023-conv"


def test_percentiles_stand_in_for_a_workload(question: Question) -> None:
    asked = replace(
        question, workload=None, prompt=((0.5, 900.0), (0.99, 8000.0)), output=((0.5, 200.0), (0.99, 1500.0))
    )
    workload = workload_of(asked, longest=EVERYTHING)
    assert workload.slices[0].lengths.kind == "marginals"
    assert workload.origin.derivation == "lognormal through prompt p50=900, p99=8000; output p50=200, p99=1500"


def test_no_lengths_are_refused(question: Question) -> None:
    with pytest.raises(InputError, match="no lengths are given") as caught:
        workload_of(replace(question, workload=None), longest=EVERYTHING)
    assert "workload list" in str(caught.value)


def test_lengths_given_twice_are_refused(question: Question) -> None:
    with pytest.raises(InputError, match="given twice"):
        workload_of(replace(question, prompt=((0.5, 900.0),)), longest=EVERYTHING)


def test_half_of_the_percentiles_are_refused(question: Question) -> None:
    with pytest.raises(InputError, match="prompt or output only"):
        workload_of(replace(question, workload=None, prompt=((0.5, 9.0), (0.9, 10.0))), longest=EVERYTHING)


def test_an_unknown_name_lists_the_known(question: Question) -> None:
    with pytest.raises(UnknownNameError, match="azure-2023-conv"):
        workload_of(replace(question, workload="azure-2023-con"), longest=EVERYTHING)


def test_a_request_too_long_is_counted_and_refused(question: Question, tmp_path: Path) -> None:
    trace = _trace(tmp_path)
    with pytest.raises(InputError) as caught:
        workload_of(replace(question, workload=trace), longest=4096)
    assert str(caught.value).splitlines() == [
        f"{trace}: 2 requests are longer than the context of 4,096 tokens",
        "  accepted: requests within the context that llama-3.1-70b offers",
        "  do: pass --drop-longer to plan without them",
    ]


def test_a_request_above_the_context_asked_for_names_that_option(question: Question, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="raise --context, or pass --drop-longer"):
        workload_of(replace(question, workload=_trace(tmp_path), context=4096), longest=4096)


def test_requests_too_long_are_dropped_on_the_users_word(question: Question, tmp_path: Path) -> None:
    workload = workload_of(replace(question, workload=_trace(tmp_path), drop_longer=True), longest=4096)
    assert workload.dropped == 2
    assert workload.slices[0].lengths.n_samples == 8


def test_a_distribution_that_counts_no_requests_tells_the_share(question: Question) -> None:
    with pytest.raises(InputError, match=r"\d\.\d\d% of the requests are longer"):
        workload_of(replace(question, workload="azure-paper"), longest=8192)


def test_a_forced_format_is_obeyed(question: Question, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        workload_of(replace(question, workload=_trace(tmp_path)), longest=EVERYTHING, format="azure")


def _trace(folder: Path) -> str:
    """Write ten requests as JSON lines, two of them long."""
    path = folder / "trace.jsonl"
    rows = [{"timestamp": float(at), "input_tokens": 100 if at < 8 else 9000, "output_tokens": 10} for at in range(10)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_profile_sizes_by_its_busiest_slice_and_its_lengths_are_read_anew_without_its_file(
    question: Question, tmp_path: Path
) -> None:
    file = tmp_path / "Day.csv"
    file.write_text("start,rate\n00:00,2\n01:00,6\n", encoding="utf-8")
    asked = replace(question, arrivals=f"profile:{file}")
    found = workload_of(asked, longest=EVERYTHING)
    assert (found.slices[0].start, found.slices[0].rate) == (3600.0, 6.0)
    file.unlink()
    assert lengths_today(asked, found, longest=EVERYTHING) == found


def test_a_profile_may_name_the_lengths_of_its_windows_shipped_or_beside_it(question: Question, tmp_path: Path) -> None:
    _trace(tmp_path)
    file = tmp_path / "day.csv"
    file.write_text("start,rate,workload\n0,9,\n60,6,trace.jsonl\n120,2,azure-2023-code\n", encoding="utf-8")
    asked = replace(question, arrivals=f"profile:{file}")
    found = workload_of(asked, longest=EVERYTHING)
    own, trace, code = found.slices
    assert (trace.workload, trace.rate) == (str(tmp_path / "trace.jsonl"), 6.0)
    for one, name in ((trace, trace.workload), (code, "azure-2023-code"), (own, question.workload)):
        alone = workload_of(replace(question, workload=name), longest=EVERYTHING)
        assert one.lengths == alone.slices[0].lengths
    file.unlink()
    assert lengths_today(asked, found, longest=EVERYTHING) == found


def test_a_profile_whose_lengths_change_goes_with_no_sessions_and_no_slices(question: Question, tmp_path: Path) -> None:
    file = tmp_path / "day.csv"
    file.write_text("start,rate,workload\n0,9,\n60,6,azure-2023-code\n", encoding="utf-8")
    asked = replace(question, arrivals=f"profile:{file}")
    for other in (replace(asked, sessions=True), replace(asked, prefix_cache=True)):
        with pytest.raises(InputError, match="what prompts share is known of one workload"):
            workload_of(other, longest=EVERYTHING)
    file.write_text("start,rate,workload\n0,9,\n60,6,azure-2023-cod\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"day.csv: row 2: .*azure-2023-cod"):
        workload_of(asked, longest=EVERYTHING)


def test_a_profile_that_does_not_read_or_has_no_rates_is_refused(question: Question, tmp_path: Path) -> None:
    file = tmp_path / "day.csv"
    file.write_text("start,end,rate\n0,3600,2\n1800,7200,6\n", encoding="utf-8")
    for source, refusal in (
        (file, "overlaps"),
        (tmp_path / "none.csv", "cannot be read"),
        ("servegen-m-large", "shape"),
    ):
        with pytest.raises(InputError, match=refusal):
            workload_of(replace(question, arrivals=f"profile:{source}"), longest=EVERYTHING)
