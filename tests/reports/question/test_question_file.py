import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.demand import Demand
from fleettui.domain.path_or_name import QUESTION_FILES
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import Gathered, InputError, SeveralErrors
from fleettui.reports.question import conversion, question_file
from tests.repeated import CHARACTERS

PLAIN = st.text(CHARACTERS, min_size=1, max_size=30).filter(lambda text: text.strip() == text and "\0" not in text)
AMOUNT = st.floats(min_value=1e-6, max_value=1e12)
SHARE = st.floats(min_value=1e-6, max_value=0.999)
GPU = st.sampled_from(["h100", "a100", "mi300x"])
COUNT = st.integers(min_value=1, max_value=10**9)
POINTS = st.tuples(st.integers(1, 1000), st.integers(1001, 10**6)).map(
    lambda pair: ((0.5, float(pair[0])), (0.99, float(pair[1])))
)
PEAK = st.floats(1.0, 1e6)
DEMANDS = st.one_of(
    st.just(Demand()),
    st.builds(Demand, form=st.just("rate"), rate=AMOUNT),
    st.builds(
        Demand, form=st.just("users"), users=COUNT.map(float), requests_per_user=AMOUNT, peak_factor=st.floats(1.0, 1e6)
    ),
    st.builds(Demand, form=st.just("tokens"), tokens=AMOUNT, peak_hour=SHARE),
    st.builds(Demand, form=st.just("concurrency"), concurrency=COUNT, think=st.floats(0, 1e6)),
)
LENGTHS = st.one_of(
    st.fixed_dictionaries({"workload": PLAIN.filter(lambda name: not name.endswith(QUESTION_FILES))}),
    st.fixed_dictionaries({"prompt": POINTS, "output": POINTS}),
)
LIMIT = st.none() | AMOUNT
SLOS = st.builds(Slo, ttft=AMOUNT, tpot=LIMIT, e2e=LIMIT, percentile=SHARE)
REST = {
    "prefix_hit": st.floats(0, 1),
    "output_share": st.none() | SHARE,
    "drop_longer": st.booleans(),
    "dtype": st.sampled_from(["bf16", "fp8"]),
    "tp": st.sampled_from([(), (1,), (2, 8)]),
    "gpus": st.lists(GPU, unique=True).map(tuple),
    "prices": st.dictionaries(GPU, st.floats(0, 1e6)).map(lambda known: tuple(sorted(known.items()))),
    "max_gpus": st.dictionaries(GPU, COUNT).map(lambda known: tuple(sorted(known.items()))),
    "budget": LIMIT,
    "max_power": LIMIT,
    "pools": st.sampled_from([(2,), (1, 2)]),
    "splits": st.lists(COUNT, unique=True, max_size=3).map(tuple),
    "admission": st.sampled_from(["paged", "reserved"]),
    "context": st.none() | COUNT,
    "max_num_seqs": COUNT,
    "token_budget": COUNT | st.sampled_from([None, "auto"]),
    "parallel": st.sampled_from([None, "auto", "all"]),
    "max_utilization": SHARE,
    "headroom": st.floats(0, 0.999),
    "preset": st.sampled_from(["recommended", "paper"]),
    "verify": st.booleans(),
    "precision": SHARE,
    "seed": st.integers(0, 2**63 - 1),
    "name": st.just("") | PLAIN,
}


@given(
    st.builds(
        lambda rest, lengths, demand, slo: Question(**rest, **lengths, demand=demand, slo=slo),
        st.fixed_dictionaries(REST),
        LENGTHS,
        DEMANDS,
        SLOS,
    )
)
def test_a_written_question_reads_back_identical(question: Question) -> None:
    text = question_file.write(conversion.to_values(question))
    assert conversion.to_question(conversion.parse(question_file.read(text, "q.yaml"))) == question


def test_what_is_not_said_is_a_comment_with_an_example() -> None:
    text = question_file.write(conversion.to_values(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))))
    lines = text.splitlines()
    assert any(line.startswith("workload: azure-2023-conv") for line in lines)
    assert any(line.startswith("# rate: 100/s") for line in lines)
    assert any(line.startswith("max-utilization: 85%") for line in lines)
    assert any(line.startswith("# peak-hour: 9%") for line in lines)


def test_an_empty_question_is_a_template() -> None:
    assert question_file.read(question_file.write({}), "q.yaml").keys().isdisjoint({"workload", "rate", "slo-ttft"})


def test_yaml_lists_mappings_numbers_and_nulls() -> None:
    text = "gpu: [h100, a100]\nprice: {h100: 2.10}\nusers: 20000\nname:\ndrop_longer: yes\nseed: '7'\n"
    texts = {name: one.text for name, one in question_file.read(text, "q.yaml").items()}
    assert texts == {"gpu": "h100,a100", "price": "h100=2.10", "users": "20000", "drop-longer": "yes", "seed": "7"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "q.yaml: the file is empty"),
        ("# nothing\n", "q.yaml: the file is empty"),
        ("- a\n- b\n", "q.yaml line 1: this is no list of keys"),
        ("just words\n", "q.yaml line 1: this is no list of keys"),
        ("rate: 1/s\nslo-tfft: 1s\n", "q.yaml line 2: unknown key (got 'slo-tfft')"),
        ("rate: 1/s\nrate: 2/s\n", "q.yaml line 2: this key stands twice (got 'rate')"),
        ("gpu:\n  - [a]\n", "q.yaml line 1, gpu: this value is nested too deep"),
        ("rate: [1/s\n", "this is no YAML"),
        ("a: b: c\n", "q.yaml line 1: this is no YAML"),
        ("rate: \x00\n", "this is no YAML"),
        ("? [a]\n: b\n", "unknown key"),
        ("a: " + "[" * 5000 + "]" * 5000, "q.yaml line 1: this is nested too deep"),
        ("rate: &a 1/s\nname: *b\n", "this is no YAML"),
    ],
)
def test_bad_files_are_refused_with_their_line(text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        question_file.read(text, "q.yaml")
    assert what in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


def test_all_bad_keys_and_values_of_a_file_are_told_at_once() -> None:
    errors = Gathered()
    conversion.parse(
        question_file.read("rate: 100\nslo-tfft: 1s\ntp: x\nmodel: qwen3-32b\nseed: a\n", "q.yaml", errors), errors
    )
    with pytest.raises(SeveralErrors) as caught:
        errors.check()
    places = [line.split(":")[0] for line in str(caught.value).splitlines() if line.startswith("q.yaml")]
    assert places == ["q.yaml line 2", "q.yaml line 1, rate", "q.yaml line 3, tp", "q.yaml line 5, seed"]
    for error in errors.found:
        assert len(str(error).splitlines()) <= 3


def test_what_is_missing_is_told_at_once() -> None:
    with pytest.raises(SeveralErrors, match=r"(?s)no workload is given.*no service level objective is given"):
        conversion.to_question({})


def test_a_bad_value_names_file_line_and_key() -> None:
    with pytest.raises(InputError, match=r"q\.yaml line 2, rate: rate needs a unit"):
        conversion.parse(question_file.read("slo-ttft: 1s\nrate: 100\n", "q.yaml"))


def test_the_number_format_that_is_written_unsaid_is_that_of_the_model() -> None:
    for model, dtype in (("llama-3.1-70b", "bf16"), ("gpt-oss-20b", "mxfp4")):
        assert f"dtype: {dtype} " in question_file.write({"model": model})
