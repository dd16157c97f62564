"""Refusals are one to three lines: what, where, the value, what is accepted, what to do."""

from fleettui import errors
from fleettui.errors import FleettuiError, InputError, UnknownNameError, shorten


def test_every_part_has_its_place() -> None:
    error = InputError("is not a rate", where="--rate", value="10", accepted="100/s", remedy="add a unit")
    assert str(error).splitlines() == ["--rate: is not a rate (got '10')", "  accepted: 100/s", "  do: add a unit"]
    assert str(InputError("is empty")) == "is empty"


def test_an_unknown_name_lists_the_known_and_the_nearest() -> None:
    lines = str(UnknownNameError("GPU", "h10", ("a100", "h100"))).splitlines()
    assert lines == ["unknown GPU (got 'h10')", "  accepted: a100, h100", "  do: did you mean h100?"]


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
