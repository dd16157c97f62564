"""NaN goes out as null and comes back where a number must be."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.serialization import encode
from store.nan_json import as_nan, finite
from tests.store import samples


@dataclass(frozen=True)
class Part:
    must: float
    may: float | None = None


@dataclass(frozen=True)
class Whole:
    part: Part | None
    parts: tuple[Part, ...]
    pair: tuple[int | None, float]
    count: int | None = None


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_only_numbers_are_finite(value: float | None) -> None:
    assert finite(value) is None
    assert finite(0.0) == 0.0


def test_a_null_becomes_nan_only_where_nothing_else_fits() -> None:
    plain = {
        "part": {"must": None},
        "parts": [{"must": None, "may": None}, {"must": 1}],
        "pair": [None, 2],
        "count": None,
    }
    found = json.loads(as_nan(Whole, json.dumps(plain)))
    assert math.isnan(found["part"].pop("must"))
    assert math.isnan(found["parts"][0].pop("must"))
    assert found == {"part": {}, "parts": [{"may": None}, {"must": 1}], "pair": [None, 2], "count": None}


def test_what_does_not_fit_is_left_for_the_decoder_to_refuse() -> None:
    plain = {"part": 3, "parts": None, "more": [None]}
    assert json.loads(as_nan(Whole, json.dumps(plain))) == plain


def test_a_defined_candidate_stays_as_it_is() -> None:
    text = encode(Candidate, samples.candidate())
    assert json.loads(as_nan(Candidate, text)) == json.loads(text)
