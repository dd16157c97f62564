import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.reports import units
from fleettui.reports.question import text_forms
from fleettui.reports.question.text_forms import Form
from fleettui.routing import ROUTERS

LENGTHS = text_forms.list_of(text_forms.of_quantity(units.WHOLE_TOKENS), "tokens")
PRICES = text_forms.pairs(text_forms.of_quantity(units.PRICE), "prices")
TP = text_forms.numbers((1, 2, 4, 8), "auto")
CONTEXT = text_forms.optional(text_forms.of_quantity(units.WHOLE_TOKENS), "auto")


@pytest.mark.parametrize(
    ("form", "text", "value", "written"),
    [
        (LENGTHS, "2048, 4k", (2048, 4000), "2048,4k"),
        (PRICES, "H100=2.10, a100=1", (("a100", 1.0), ("h100", 2.1)), "a100=1,h100=2.1"),
        (TP, "auto", (), "auto"),
        (TP, "8,4,4", (4, 8), "4,8"),
        (CONTEXT, "AUTO", None, "auto"),
        (CONTEXT, "8Ki", 8192, "8192"),
        (text_forms.PERCENTILES, "p50=900,p99=8k", ((0.5, 900.0), (0.99, 8000.0)), "p50=900,p99=8k"),
        (text_forms.PERCENTILES, "2048", ((0.5, 2048.0), (0.99, 2048.0)), "p50=2048,p99=2048"),
        (text_forms.FLAG, "Yes", True, "true"),
        (text_forms.MODEL, "Qwen3-32B", "qwen3-32b", "qwen3-32b"),
        (text_forms.MODEL, "./My/config.json", "./My/config.json", "./My/config.json"),
        (text_forms.SEED, "0", 0, "0"),
        (text_forms.choice(("bf16", "fp8")), "FP8", "fp8", "fp8"),
    ],
)
def test_what_reads_is_written_back(form: Form, text: str, value: object, written: str) -> None:
    assert form.read(text, "--here") == value
    assert form.write(value) == written
    assert form.read(written, None) == value


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (LENGTHS, ""),
        (LENGTHS, "4k,4000"),
        (LENGTHS, "4.5"),
        (PRICES, "h100"),
        (PRICES, "=2"),
        (PRICES, "h100=1,H100=2"),
        (PRICES, "h100=-1"),
        (TP, "3"),
        (TP, ""),
        (CONTEXT, "0"),
        (text_forms.PERCENTILES, "p50"),
        (text_forms.PERCENTILES, "p50=900"),
        (text_forms.PERCENTILES, "p99=900,p50=8k"),
        (text_forms.PERCENTILES, "p50=900,p90=900,p99=950"),
        (text_forms.PERCENTILES, ""),
        (text_forms.FLAG, "perhaps"),
        (text_forms.TEXT, "  "),
        (text_forms.TEXT, "a\0b"),
        (text_forms.TEXT, "x" * 5000),
        (text_forms.WORKLOAD_TEXT, "question.yaml"),
        (text_forms.WORKLOAD_TEXT, "  "),
        (text_forms.SEED, "-1"),
        (text_forms.SEED, "1.5"),
        (text_forms.SEED, "9" * 5000),
        (text_forms.member(ROUTERS), "fastest"),
    ],
)
def test_the_rest_is_refused_at_its_place(form: Form, text: str) -> None:
    with pytest.raises(InputError) as caught:
        form.read(text, "--here")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("--here: ")
    assert len(lines) <= 3


def test_a_name_of_a_registry_is_read_and_each_is_told() -> None:
    form = text_forms.member(ROUTERS)
    assert form.read(" Length", None) == "length"
    assert all(f"{one.name} ({one.help})" in form.words for one in ROUTERS)


def test_the_word_for_none_is_accepted_and_told() -> None:
    form = text_forms.optional(text_forms.COUNT, "engine")
    assert (form.read("engine", None), form.read("8", None)) == (None, 8)
    with pytest.raises(InputError) as caught:
        form.read("many", "--max-num-seqs")
    assert str(caught.value).endswith(", or engine")


def test_a_latency_that_nobody_knows_is_named_before_its_percentile() -> None:
    with pytest.raises(UnknownNameError, match="bach"):
        text_forms.latency_name("bach.ttft", "--limit")
    with pytest.raises(InputError, match="no percentile"):
        text_forms.latency_name("ttft.ttft", "--limit")


def test_a_number_of_gpus_is_named_where_it_belongs() -> None:
    for typed in ("h100:12", "H100=12", "h100*12"):
        with pytest.raises(InputError, match="no part of a GPU's name") as refused:
            text_forms.GPU.read(typed, "--gpu")
        assert "--gpu h100 --max-gpus h100=12" in str(refused.value)
    assert text_forms.GPU.read("RTX-PRO-6000", None) == "rtx-pro-6000"
    assert text_forms.GPU.read("./mine:2.toml", None) == "./mine:2.toml"


def test_several_models_are_sent_to_the_file_that_takes_them() -> None:
    with pytest.raises(InputError, match="more than one model") as refused:
        text_forms.MODEL.read("llama-3.1-70b+qwen3-32b", "--model")
    assert "fleettui plan -f FILE" in str(refused.value)
    assert text_forms.MODEL.read("Qwen3-32B", None) == "qwen3-32b"
