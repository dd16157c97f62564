"""A fleet's file that says of the model and the engines what the question says, another, or nothing."""

import pytest

from fleettui.domain.fleet import FleetSketch
from fleettui.errors import InputError
from fleettui.reports import fleet_file
from fleettui.reports.question import left_keys
from fleettui.reports.question.conversion import Values

TEXTS = {"model": "qwen3-32b", "dtype": "fp8", "token-budget": "4096", "admission": "reserved", "rate": "1/s"}
SILENT = "pools: [{gpu: h100, tp: 8, replicas: 6}]"
SAID = """\
pools:
  - {gpu: h100, tp: 8, replicas: 6, model: llama-3.1-70b, token_budget: 2048, up_to: 99}
  - {gpu: h100, tp: 8, replicas: 1}
"""


def sketch(text: str, asked: Values) -> FleetSketch:
    return fleet_file.read(text, "f.yaml", asked)


def test_a_silent_file_has_what_the_question_says() -> None:
    asked = left_keys.read(TEXTS, "question")
    fleet = sketch(SILENT, asked)
    (pool,) = fleet.pools
    assert (pool.model, pool.dtype, pool.token_budget, pool.max_num_seqs) == ("qwen3-32b", "fp8", 4096, None)
    assert fleet.admission == "reserved"
    assert left_keys.differences(fleet, asked) == ()
    left_keys.check(fleet, asked, set(TEXTS))


def test_a_file_that_says_another_is_simulated_as_it_says_and_each_difference_is_named() -> None:
    """The question's number format is that of its own model."""
    asked = left_keys.read(TEXTS, "question")
    fleet = sketch(SAID, asked)
    assert [(pool.model, pool.dtype, pool.token_budget) for pool in fleet.pools] == [
        ("llama-3.1-70b", "bf16", 2048),
        ("qwen3-32b", "fp8", 4096),
    ]
    assert left_keys.differences(fleet, asked) == (
        f"{left_keys.DIFFERS}model llama-3.1-70b in pool 1 (the question: qwen3-32b)",
        f"{left_keys.DIFFERS}dtype bf16 in pool 1 (the question: fp8)",
        f"{left_keys.DIFFERS}token-budget 2048 in pool 1 (the question: 4096)",
    )


def test_what_the_question_leaves_to_a_search_is_the_models_own_and_named() -> None:
    asked = left_keys.read({"dtype": "auto", "token-budget": "auto"}, "question")
    fleet = sketch(SILENT, asked)
    assert (fleet.pools[0].dtype, fleet.pools[0].token_budget) == ("bf16", None)
    told = [one.removeprefix(left_keys.DIFFERS) for one in left_keys.differences(fleet, asked)]
    assert told == ["dtype bf16 (the question: auto)", "token-budget engine (the question: auto)"]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({"model": "qwen3-32b"}, r"--model: the fleet's file says another value \(got 'qwen3-32b'\)"),
        ({"token-budget": "4096"}, "accepted: token-budget 2048 in pool 1"),
        ({"dtype": "auto"}, "--dtype: this leaves it to a search"),
    ],
)
def test_an_option_that_the_file_contradicts_is_refused(texts: dict[str, str], told: str) -> None:
    asked = left_keys.read(texts, "typed")
    with pytest.raises(InputError, match=told):
        left_keys.check(sketch(SAID, asked), asked, set(texts))
