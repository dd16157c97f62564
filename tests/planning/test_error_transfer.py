import pytest

from fleettui.errors import (
    FleettuiError,
    InputError,
    Interrupted,
    StoreBusyError,
    StoreError,
    UnknownNameError,
    WorkerError,
)
from fleettui.planning.error_transfer import pack, unpack
from fleettui.planning.protocol import TaskError, decode, encode

ERRORS: tuple[FleettuiError, ...] = (
    FleettuiError("plain"),
    InputError("wrong", where="a.csv, line 3", value=-1, accepted="above 0", remedy="mend it"),
    UnknownNameError("gpu", "h10", ["h100"]),
    StoreError("cannot"),
    StoreBusyError("busy"),
    WorkerError("died", "traceback"),
    Interrupted("stopped"),
)


def _across(error: Exception) -> FleettuiError:
    message = decode(encode(pack(1, error)))
    assert isinstance(message, TaskError)
    return unpack(message)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_class_text_exit_code_and_attributes_survive(error: FleettuiError) -> None:
    arrived = _across(error)
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert arrived.exit_code == error.exit_code
    assert vars(arrived) == vars(error)


def test_a_value_that_json_cannot_carry_stays_in_the_text() -> None:
    arrived = _across(InputError("wrong", value=b"\x00"))
    assert str(arrived) == r"wrong (got b'\x00')"
    assert "value" not in vars(arrived)


def test_a_class_the_parent_does_not_know_arrives_as_its_nearest_known_base() -> None:
    class DoesNotFit(InputError):
        pass

    arrived = _across(DoesNotFit("does not fit", remedy="more GPUs"))
    assert type(arrived) is InputError
    assert str(arrived) == "does not fit\n  do: more GPUs"


def test_a_bug_arrives_as_a_worker_error_with_its_traceback() -> None:
    try:
        raise AssertionError("utilization is 1.2")
    except AssertionError as error:
        arrived = _across(error)
    assert isinstance(arrived, WorkerError)
    assert str(arrived) == "AssertionError: utilization is 1.2"
    assert "test_error_transfer.py" in arrived.details
    assert arrived.exit_code == 1


@pytest.mark.parametrize("kind", ["Missing", "shorten", "annotations", "Iterable"])
def test_a_kind_that_is_no_error_of_ours_becomes_a_worker_error(kind: str) -> None:
    arrived = unpack(TaskError(number=1, kind=kind, text="text", fields={}))
    assert type(arrived) is WorkerError
    assert str(arrived) == f"{kind}: text"
