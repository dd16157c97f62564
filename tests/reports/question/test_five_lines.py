from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, UnknownNameError
from fleettui.reports.question import conversion, five_lines
from fleettui.reports.question.conversion import Given
from fleettui.reports.question.keys import BY_NAME

LINES = ("demand", "lengths", "model", "gpus", "slo")
READ: dict[str, dict[str, dict[str, str]]] = {
    "demand": {
        "100/s": {"rate": "100/s"},
        " 6000/min ": {"rate": "6000/min"},
        "as recorded": {},
        "Recorded": {},
        "20000 users x 6/h x 2.5": {"users": "20000", "requests-per-user": "6/h", "peak-factor": "2.5"},
        "20000 users 4 to 8 requests an hour each": {"users": "20000", "requests-per-user": "4/h:8/h"},
        "20k users, 6 requests/day": {"users": "20k", "requests-per-user": "6/day"},
        "20,000 users×6/h": {"users": "20,000", "requests-per-user": "6/h"},
        "20000 users x 4/h:8/h, peak 2.5": {"users": "20000", "requests-per-user": "4/h:8/h", "peak-factor": "2.5"},
        "20k Users * 6/h * 2.5x": {"users": "20k", "requests-per-user": "6/h", "peak-factor": "2.5x"},
        "3e9 tokens/day": {"tokens": "3e9/day"},
        "3B tokens per day, peak hour 9%": {"tokens": "3B/day", "peak-hour": "9%"},
        "400 clients": {"concurrency": "400"},
        "400 clients think 20s": {"concurrency": "400", "think": "20s"},
        "1 client, thinking 2 min": {"concurrency": "1", "think": "2 min"},
    },
    "lengths": {
        "azure-2023-conv": {"workload": "azure-2023-conv"},
        "./my  traces/prompt log.csv": {"workload": "./my  traces/prompt log.csv"},
        "prompt.csv": {"workload": "prompt.csv"},
        "azure-2023-conv hit 55%": {"workload": "azure-2023-conv", "prefix-hit": "55%"},
        "azure-2023-conv, prefix hit 0.4": {"workload": "azure-2023-conv", "prefix-hit": "0.4"},
        "prompt p50=9,p99=80 output p50=2,p99=9 hit 9%": {
            "prompt": "p50=9,p99=80",
            "output": "p50=2,p99=9",
            "prefix-hit": "9%",
        },
        "prompt p50=900,p99=8k output p50=200,p99=1.5k": {"prompt": "p50=900,p99=8k", "output": "p50=200,p99=1.5k"},
        "Output 50=200, 99=2k  prompt p50=900, p99=8k": {"prompt": "p50=900, p99=8k", "output": "50=200, 99=2k"},
    },
    "model": {
        "llama-3.1-70b": {"model": "llama-3.1-70b"},
        "qwen3-32b fp8": {"model": "qwen3-32b", "dtype": "fp8"},
        "qwen3-32b FP8 tp 4, 8": {"model": "qwen3-32b", "dtype": "FP8", "tp": "4,8"},
        "gpt-oss-120b mxfp4 kv fp8 tp 4 ep": {
            "model": "gpt-oss-120b",
            "dtype": "mxfp4",
            "kv-dtype": "fp8",
            "tp": "4",
            "expert-parallel": "true",
        },
        "qwen3-32b fp8-block kv engine": {"model": "qwen3-32b", "dtype": "fp8-block"},  # as where nobody says it
        "qwen3-32b tp8 bf16": {"model": "qwen3-32b", "dtype": "bf16", "tp": "8"},
        "qwen3-32b tp=auto": {"model": "qwen3-32b", "tp": "auto"},
        "qwen3-32b auto": {"model": "qwen3-32b", "dtype": "auto"},
        "qwen3-32b tp auto auto": {"model": "qwen3-32b", "dtype": "auto", "tp": "auto"},
        "qwen3-32b auto tp auto": {"model": "qwen3-32b", "dtype": "auto", "tp": "auto"},
        "./my model/config.json tp 2": {"model": "./my model/config.json", "tp": "2"},
    },
    "gpus": {
        "any": {},
        "all": {"gpu": "all"},
        "./My.toml": {"gpu": "./My.toml"},
        "h100": {"gpu": "h100"},
        "h100, A100  l40s": {"gpu": "h100,A100,l40s"},
        "40 a100 + 64 h100": {"gpu": "a100,h100", "max-gpus": "a100=40,h100=64"},
        "h100=64, l4": {"gpu": "h100,l4", "max-gpus": "h100=64"},
        "8 x ./my-gpu.toml": {"gpu": "./my-gpu.toml", "max-gpus": "./my-gpu.toml=8"},
        "any stock 40 a100": {"max-gpus": "a100=40"},
        "h100 stock a100=40,h100=8": {"gpu": "h100", "max-gpus": "a100=40,h100=8"},
    },
    "slo": {
        "TTFT 500ms TPOT 50ms P99": {"slo-ttft": "500ms", "slo-tpot": "50ms", "percentile": "99"},
        "ttft<500ms": {"slo-ttft": "500ms"},
        "P99.9 TTFT<0.5 s, e2e<=30s": {"slo-ttft": "0.5 s", "slo-e2e": "30s", "percentile": "99.9"},
        "e2e: 1min p 50": {"slo-e2e": "1min", "percentile": "50"},
        "tpot=5e-2s p0.5": {"slo-tpot": "5e-2s", "percentile": "0.5%"},
        "TTFT 500ms ttft.p50=200ms P99": {"slo-ttft": "500ms", "percentile": "99", "limit": "ttft.p50=200ms"},
        "TTFT.P50 < 0.2s, e2e.99.9 20s": {"limit": "TTFT.P50=0.2s,e2e.99.9=20s"},
        "TTFT 500ms Batch.TTFT<60s batch.e2e.p50 9s": {
            "slo-ttft": "500ms",
            "limit": "Batch.TTFT=60s,batch.e2e.p50=9s",
        },
    },
}
REFUSED: dict[str, dict[str, str]] = {
    "demand": {
        "": "this line is empty",
        "100": "rate needs a unit",
        "lots": "this is no demand",
        "20000 users": "users need the requests that each of them sends",
        "20000 users x 6": "requests-per-user: rate needs a unit",
        "2.5 users x 6/h": "users: count must be a whole number",
        "3e9 tokens/fortnight": "tokens: unknown unit",
        "400 clients think 20": "think: duration needs a unit",
        "-5/s": "must be above zero",
    },
    "lengths": {
        "prompt p50=900,p99=8k": "go together",
        "prompt p50=900,p99=8k prompt p50=1,p99=2": "said twice",
        "prompt p50=900,p99=8k output p50=200": "percentiles must rise",
    },
    "model": {
        "": "this line is empty",
        "fp8": "the model is missing",
        "llama-3.1-70b int3": "this is no model",
        "llama-3.1-70b tp": "this is no model",
        "llama-3.1-70b tp 3": "not among the numbers",
        "llama-3.1-70b fp8 tp 4 bf16": "dtype is said twice",
        "llama-3.1-70b kv fp8 kv bf16": "kv-dtype is said twice",
    },
    "gpus": {
        "h100 $2.10": "a price is no part",
        "h100=2.10": "a price is no part",
        "any,h100": "any stands alone",
        "h100,h100": "said twice",
    },
    "slo": {
        "P99": "no limit is given",
        "TTFT 500": "SLO, slo-ttft: duration needs a unit",
        "TTFT 500 TPOT 50ms": "slo-ttft: duration needs a unit",
        "TTFT 500ms TTFT 1s": "slo-ttft is said twice",
        "TTFT 5 parsecs": "this is no list of limits",
        "fast": "this is no list of limits",
        "TTFT -5ms": "must be above zero",
        "TTFT 5ms p100": "this is no percentile",
    },
}
LATENCIES = st.one_of(st.none(), st.floats(1e-6, 1e6))
DEMANDS = st.one_of(
    st.just(Demand()),
    st.builds(Demand, form=st.just("rate"), rate=st.floats(1e-6, 1e7)),
    st.builds(
        Demand,
        form=st.just("users"),
        users=st.integers(1, 10**9),
        requests_per_user=st.floats(1e-9, 1e3),
        peak_factor=st.floats(1, 100),
    ),
    st.builds(Demand, form=st.just("tokens"), tokens=st.floats(1e-3, 1e9), peak_hour=st.floats(0.01, 0.99)),
    st.builds(Demand, form=st.just("concurrency"), concurrency=st.integers(1, 10**6), think=st.floats(0, 1e5)),
)
LENGTHS = st.one_of(
    st.fixed_dictionaries({"workload": st.text("abcdefghijklmnopqrstuvwxyz0123456789./-", min_size=1, max_size=20)}),
    st.just({"prompt": ((0.5, 900.0), (0.99, 8000.0)), "output": ((0.5, 200.0), (0.999, 1500.5))}),
)
QUESTIONS = st.builds(
    lambda lengths, **parts: Question(step_law="kernels", **lengths, **parts),
    lengths=LENGTHS,
    demand=DEMANDS,
    model=st.sampled_from(("llama-3.1-70b", "qwen3-32b", "./a model/config.json")),
    dtype=st.sampled_from(("bf16", "fp8", "auto")),
    tp=st.sampled_from(((), (8,), (2, 4))),
    gpus=st.sampled_from(((), ("h100",), ("a100", "l40s"))),
    slo=st.builds(
        Slo,
        ttft=st.floats(1e-6, 1e6),
        tpot=LATENCIES,
        e2e=LATENCIES,
        percentile=st.floats(0.001, 0.9999).filter(
            lambda share: share not in (0.05, 0.5, 0.999)
        ),  # not a further one's
        further=st.sampled_from([(), (("ttft.p50", 0.2),), (("e2e.p99.9", 20.0), ("tpot.p5", 0.05))]),
    ),
)


def said(line: str, text: str) -> dict[str, str]:
    """Return the keys that a phrase sets."""
    return {name: value for name, value in five_lines.read(line, text).items() if value}


@pytest.mark.parametrize(
    ("line", "text", "texts"), [(line, text, texts) for line, one in READ.items() for text, texts in one.items()]
)
def test_a_phrase_says_its_keys_and_empties_the_others(line: str, text: str, texts: dict[str, str]) -> None:
    found = five_lines.read(line, text)
    assert tuple(found) == five_lines.phrase_of(line).keys
    assert {name: value for name, value in found.items() if value} == texts
    assert five_lines.read(line, five_lines.write(line, found)) == found


@pytest.mark.parametrize(
    ("line", "text", "what"), [(line, text, what) for line, one in REFUSED.items() for text, what in one.items()]
)
def test_what_is_no_such_phrase_is_refused_with_an_example(line: str, text: str, what: str) -> None:
    with pytest.raises(InputError, match="accepted: ") as caught:
        five_lines.read(line, text)
    message = str(caught.value)
    assert what in message
    assert message.startswith(five_lines.phrase_of(line).label)


@pytest.mark.parametrize(
    ("line", "text", "whole"),
    [("demand", "100", True), ("slo", "0s", True), ("demand", "400 clients think 20", False)],
)
def test_of_a_key_that_is_the_whole_line_all_that_the_line_accepts_is_told(line: str, text: str, whole: bool) -> None:
    with pytest.raises(InputError) as caught:
        five_lines.read(line, text)
    assert (caught.value.accepted == five_lines.phrase_of(line).accepted) == whole


@given(question=QUESTIONS)
def test_a_question_comes_back_whole(question: Question) -> None:
    texts = conversion.to_texts(question)
    phrases = {line: five_lines.write(line, texts) for line in LINES}
    back: dict[str, Any] = {}
    for line, text in phrases.items():
        back |= said(line, text)
    assert (
        conversion.to_question(conversion.parse({name: Given(text, name) for name, text in back.items()})) == question
    )


@pytest.mark.parametrize("line", LINES)
def test_what_a_refusal_shows_is_accepted(line: str) -> None:
    example = {"lengths": "azure-2023-conv", "model": "llama-3.1-70b fp8 kv fp8 tp 4,8", "gpus": "h100,a100"}.get(line)
    shown = five_lines.EXAMPLES[line]
    examples = shown.split(", ") if line == "demand" else [example or shown.partition(",")[0]]
    assert all(one in shown for one in examples)
    for one in examples:
        assert five_lines.write(line, five_lines.read(line, one)) == one


def test_what_is_not_said_has_its_phrase() -> None:
    assert [five_lines.write(line, {}) for line in LINES] == ["as recorded", "", "llama-3.1-70b", "any", ""]
    assert five_lines.write("slo", {"slo-ttft": "1s", "percentile": "0.95"}) == "TTFT 1s P95"
    assert five_lines.write("gpus", {"gpu": "", "rate": "5/s"}) == "any"


def test_there_are_five_lines() -> None:
    assert tuple(one.name for one in five_lines.PHRASES) == LINES
    names = [name for one in five_lines.PHRASES for name in one.keys]
    assert len(set(names)) == len(names)
    assert set(names) <= set(BY_NAME)
    with pytest.raises(UnknownNameError, match="demand, gpus, lengths, model, slo"):
        five_lines.read("price", "2")


def test_users_need_no_sign_before_what_each_sends() -> None:
    for typed in ("3000 users 12/h", "3000 users x 12/h", "3000 users at 12/h"):
        found = five_lines.read("demand", typed)
        assert (found["users"], found["requests-per-user"], found["peak-factor"]) == ("3000", "12/h", "")
    for peak in ("x 2.5", "peak 2.5", ", peak x 2.5"):
        assert five_lines.read("demand", f"3000 users 12/h {peak}")["peak-factor"] == "2.5"
    with pytest.raises(InputError, match="3000 users x 12/h"):
        five_lines.read("demand", "3000 users")
    with pytest.raises(InputError, match="20000 users x 6/h"):  # not only rates are accepted there
        five_lines.read("demand", "3000x12/h")


def test_a_model_that_is_nearly_one_is_proposed() -> None:
    with pytest.raises(InputError, match=r"did you mean .*llama-3.1-70b"):
        five_lines.read("model", "llama 70b fp8")
    with pytest.raises(InputError, match="this is no model") as refused:
        five_lines.read("model", "what is this")
    assert "did you mean" not in str(refused.value)
