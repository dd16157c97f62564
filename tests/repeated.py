"""What is repeated for certainty: a few times in every run of the suite, the other times as evidence.

`pytest -m evidence` runs those other times, and every property with many more examples. Of the evidence, `pytest -m
thorough` runs what CI does first and what every mutant meets: tests that compile an engine of their own, and more of
the times than the suite has room for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, zip_longest
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

EXAMPLES, MANY_EXAMPLES = 12, 300
"""Examples of a property, and as evidence."""
CHARACTERS = st.characters(exclude_categories=["Cs"])
"""What `st.text()` is made of; that tries, once a process, which of a million characters UTF-8 has, for seconds."""
EVIDENCE, THOROUGH = pytest.mark.evidence, pytest.mark.thorough


class _Wanted:
    """Whether this run of the tests is to have `evidence`: otherwise what is left out need not be collected."""

    evidence = True


def few(
    values: Iterable[Any], count: int, *, more: int = 0, whole: bool = False, ids: Sequence[str] = ()
) -> Sequence[Any]:
    """Return the parameters of a test; those after the first `count` are evidence, and the next `more` thorough.

    A tuple is the values of several parameters; with `whole` it is the one value of one. Evidence that this run of the
    tests is not to have is left out, and its `ids` with it.
    """
    rest = iter(zip_longest(values, ids) if ids else ((one, None) for one in values))
    found = [value if name is None else _marked(value, name, whole) for value, name in islice(rest, count)]
    found += [_marked(*one, whole, EVIDENCE, THOROUGH) for one in islice(rest, more)]
    return [*found, *(_marked(*one, whole, EVIDENCE) for one in rest if _Wanted.evidence)]


def _marked(value: Any, name: str | None, whole: bool, *marks: pytest.MarkDecorator) -> Any:
    if isinstance(value, type(pytest.param())):
        return pytest.param(*value.values, marks=[*value.marks, *marks], id=value.id)
    values = value if isinstance(value, tuple) and not whole else (value,)
    assert values is not value or len(values) > 1, f"{value} is one value, of one parameter: it needs whole=True"
    return pytest.param(*values, marks=marks, id=name)


def wants_evidence(expression: str) -> bool:
    """Return whether a choice of tests by marks is one of evidence, all of it or most.

    >>> [wants_evidence(one) for one in ("", "evidence", "evidence and not thorough")]
    [True, True, True]
    >>> [wants_evidence(one) for one in ("not evidence", "thorough", "not evidence or thorough")]
    [False, False, False]
    """
    return not expression or "evidence" in expression.replace("not evidence", "")


def prepare(expression: str) -> None:
    """Set how many examples a property is tried with, and whether what is evidence is collected."""
    _Wanted.evidence = wants_evidence(expression)
    count = MANY_EXAMPLES if _Wanted.evidence else EXAMPLES
    settings.register_profile("suite", max_examples=count, deadline=None)
    settings.load_profile("suite")
