"""What is repeated for certainty: a few times in every run of the suite, the other times as evidence.

`pytest -m evidence` runs those other times, and every property with many more examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import pytest
from hypothesis import settings

EXAMPLES, MANY_EXAMPLES = 12, 300
"""Examples of a property, and as evidence."""


def few(values: Iterable[Any], count: int, *, whole: bool = False) -> Sequence[Any]:
    """Return the parameters of a test; those after the first `count` are evidence.

    A tuple is the values of several parameters; with `whole` it is the one value of one.
    """
    rest = iter(values)
    return [*islice(rest, count), *(_evidence(one, whole) for one in rest)]


def _evidence(value: Any, whole: bool) -> Any:
    if isinstance(value, type(pytest.param())):
        return pytest.param(*value.values, marks=[*value.marks, pytest.mark.evidence], id=value.id)
    values = value if isinstance(value, tuple) and not whole else (value,)
    return pytest.param(*values, marks=pytest.mark.evidence)


def wants_evidence(expression: str) -> bool:
    """Return whether a choice of tests by marks is one of evidence.

    >>> [wants_evidence(one) for one in ("evidence", "not evidence", "")]
    [True, False, True]
    """
    return "not evidence" not in expression


def choose_examples(expression: str) -> None:
    """Set how many examples a property is tried with."""
    count = MANY_EXAMPLES if wants_evidence(expression) else EXAMPLES
    settings.register_profile("suite", max_examples=count, deadline=None)
    settings.load_profile("suite")
