"""Layouts of replicas whose attention and feed-forward layers have GPUs of their own."""

from dataclasses import replace

import pytest

from fleettui.domain.afd import AfdLayout
from fleettui.domain.hardware import Model
from fleettui.errors import InputError
from fleettui.hardware import catalog


@pytest.mark.parametrize("text", ["tp2dp4/ep8", "tp4/tp8x2", "tp1dp64/tp4"])
def test_a_layout_is_written_as_it_is_read(text: str) -> None:
    assert AfdLayout.read(text).text == text


def test_gpus_multiply_out_by_role() -> None:
    layout = AfdLayout.read("tp2dp4/ep4")
    assert (layout.attention_gpus, layout.feed_forward_gpus, layout.gpus, layout.narrower) == (8, 4, 12, 4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tp2+ep8", "says no layout"),
        ("tp3/tp8", "attention tp is not supported"),
        ("tp2dp0/tp8", "attention dp must be above zero"),
        ("tp2dp65/tp8", "attention dp is too large"),
        ("tp2/tp8x0", "micro batches must be above zero"),
        ("tp2/ep16", "feed forward ep is not supported"),
    ],
)
def test_a_layout_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        AfdLayout.read(text)


def test_layers_are_divided_one_way() -> None:
    with pytest.raises(InputError, match="not both"):
        AfdLayout(attention_tp=2, feed_forward_tp=2, feed_forward_ep=4)


MIXTRAL = catalog.model("mixtral-8x7b")


@pytest.mark.parametrize(
    ("model", "text", "words"),
    [
        (catalog.model("llama-3.1-70b"), "tp2/ep8", "no experts to spread"),
        (replace(MIXTRAL, heads=36), "tp8/tp8", "36 heads of mixtral-8x7b do not divide by attention tp 8"),
        (replace(MIXTRAL, experts=6), "tp4/ep4", "6 experts of mixtral-8x7b do not divide by ep 4"),
    ],
)
def test_a_layout_that_does_not_divide_a_model_is_refused(model: Model, text: str, words: str) -> None:
    AfdLayout.read("tp4/tp4").check(model)
    with pytest.raises(InputError, match=words):
        AfdLayout.read(text).check(model)
