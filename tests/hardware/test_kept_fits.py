"""Fits by name: found, or refused with what there is."""

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware.kept_fits import folder, kept, names
from tests.own_fits import FIT, forget, keep


def test_a_kept_fit_is_found() -> None:
    assert names() == ()
    keep()
    assert (names(), kept("prod")) == (("prod",), FIT)


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match=r"(?s)--profile: no fit is kept .*fleettui profile fit FILES --name prod"):
        kept("prod", "--profile")
    keep()
    with pytest.raises(UnknownNameError, match=r"(?s)--profile: unknown fit \(got 'test'\).*accepted: prod"):
        kept("test", "--profile")
    forget()
    assert names() == ()


@pytest.mark.parametrize("content", [b'{"name": 5}', b"\xff", b""])
def test_a_file_that_holds_none_is_refused(content: bytes) -> None:
    folder().mkdir(parents=True)
    (folder() / "broken.json").write_bytes(content)
    with pytest.raises(InputError, match=r"(?s)broken.json: is no fit: .*do: remove it"):
        kept("broken")
