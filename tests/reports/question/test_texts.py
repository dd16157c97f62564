import pytest

from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.question import texts
from fleettui.reports.question.texts import Form

LENGTHS = texts.list_of(texts.of_quantity(units.WHOLE_TOKENS), "tokens")
PRICES = texts.pairs(texts.of_quantity(units.PRICE), "prices")
TP = texts.numbers((1, 2, 4, 8), "auto")
CONTEXT = texts.optional(texts.of_quantity(units.WHOLE_TOKENS), "auto")


@pytest.mark.parametrize(
    ("form", "text", "value", "written"),
    [
        (LENGTHS, "2048, 4k", (2048, 4000), "2048,4k"),
        (PRICES, "H100=2.10, a100=1", (("a100", 1.0), ("h100", 2.1)), "a100=1,h100=2.1"),
        (TP, "auto", (), "auto"),
        (TP, "8,4,4", (4, 8), "4,8"),
        (CONTEXT, "AUTO", None, "auto"),
        (CONTEXT, "8Ki", 8192, "8192"),
        (texts.PERCENTILES, "p50=900,p99=8k", ((0.5, 900.0), (0.99, 8000.0)), "p50=900,p99=8k"),
        (texts.FLAG, "Yes", True, "true"),
        (texts.MODEL, "Qwen3-32B", "qwen3-32b", "qwen3-32b"),
        (texts.MODEL, "./My/config.json", "./My/config.json", "./My/config.json"),
        (texts.SEED, "0", 0, "0"),
        (texts.HEADROOM, "0%", 0.0, "0%"),
        (texts.choice(("bf16", "fp8")), "FP8", "fp8", "fp8"),
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
        (texts.PERCENTILES, "900"),
        (texts.PERCENTILES, "p50=900"),
        (texts.PERCENTILES, "p99=900,p50=8k"),
        (texts.PERCENTILES, "p50=900,p99=900"),
        (texts.PERCENTILES, ""),
        (texts.FLAG, "perhaps"),
        (texts.TEXT, "  "),
        (texts.TEXT, "a\0b"),
        (texts.TEXT, "x" * 5000),
        (texts.SEED, "-1"),
        (texts.SEED, "1.5"),
        (texts.SEED, str(2**63)),
        (texts.HEADROOM, "100%"),
        (texts.OPEN_SHARE, "0%"),
        (texts.choice(("poisson",), "later"), "bursty"),
    ],
)
def test_the_rest_is_refused_at_its_place(form: Form, text: str) -> None:
    with pytest.raises(InputError) as caught:
        form.read(text, "--here")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("--here: ")
    assert len(lines) <= 3


def test_a_word_that_is_not_known_yet_says_so() -> None:
    with pytest.raises(InputError, match="do: replay comes later"):
        texts.choice(("poisson",), "replay comes later").read("replay", "--arrivals")
