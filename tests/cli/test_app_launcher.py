from types import SimpleNamespace

from fleettui.cli.app_launcher import launcher_of, nowhere
from fleettui.domain.opening import Opening


def test_nowhere_says_why() -> None:
    assert nowhere(Opening(), ()) == "there is no terminal"


def test_the_launcher_is_what_the_context_was_given() -> None:
    assert launcher_of(SimpleNamespace(obj=nowhere)) is nowhere
