"""Refusals are one to three lines: what, where, the value, what is accepted, what to do."""

import pytest

from fleettui import errors
from fleettui.errors import (
    MOST_TOLD,
    FleettuiError,
    Gathered,
    InputError,
    SeveralErrors,
    UnknownNameError,
    shorten,
)


def test_every_part_has_its_place() -> None:
    error = InputError("is not a rate", where="--rate", value="10", accepted="100/s", remedy="add a unit")
    assert str(error).splitlines() == ["--rate: is not a rate (got '10')", "  accepted: 100/s", "  do: add a unit"]
    assert str(InputError("is empty")) == "is empty"


def test_an_unknown_name_is_told_with_the_nearest_or_where_all_stand() -> None:
    assert str(UnknownNameError("GPU", "h10", ("a100", "h100"))).splitlines() == [
        "unknown GPU (got 'h10')",
        "  did you mean h100?",
        "  accepted: a100, h100",
    ]
    assert str(UnknownNameError("GPU", "x", ("a100", "h100"), listing="list")).splitlines() == [
        "unknown GPU (got 'x')",
        "  accepted: a100, h100",
    ]
    assert "did you mean qwen3-235b-a22b?" in str(
        UnknownNameError("model", "qwen3-235b", ("qwen3-235b-a22b", "qwen3-32b"))
    )
    many = [f"name-{number}" for number in range(40)]
    assert str(UnknownNameError("GPU", "x", many, listing="list")).splitlines() == [
        "unknown GPU (got 'x')",
        "  do: list shows them",
    ]
    assert str(UnknownNameError("GPU", "nam-7", many, listing="list")).splitlines()[1:] == [
        "  did you mean name-7? (list shows them)"
    ]


def gathered(count: int) -> Gathered:
    found = Gathered()
    for number in [*range(count), *range(count)]:
        with found.aside():
            raise InputError("is bad", where=f"line {number}", remedy="mend it")
    return found


def test_all_that_is_wrong_is_told_at_once_and_each_once() -> None:
    gathered(0).check()
    with pytest.raises(InputError) as one:
        gathered(1).check()
    assert str(one.value) == "line 0: is bad\n  do: mend it"
    with pytest.raises(SeveralErrors) as two:
        gathered(2).check()
    assert str(two.value) == "line 0: is bad\n  do: mend it\nline 1: is bad\n  do: mend it"
    with pytest.raises(SeveralErrors) as many:
        gathered(MOST_TOLD + 3).check()
    assert str(many.value).splitlines()[-2:] == ["  do: mend it", "and 3 more"]
    outer = gathered(2)
    with outer.aside():
        gathered(3).check()
    assert [error.where for error in outer.found] == ["line 0", "line 1", "line 2"]


def test_long_values_are_cut() -> None:
    assert len(shorten("x" * 500)) == 60


def test_exit_codes_are_those_of_the_contract() -> None:
    codes = {
        name: kind.exit_code
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, FleettuiError)
    }
    assert {code for name, code in codes.items() if name.startswith("Store")} == {4}
    assert (codes["InputError"], codes["WorkerError"], codes["Interrupted"]) == (2, 1, 130)
