import pytest

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, read_words

KNOWN = (
    Argument(name="only", help="some", reads="routers"),
    Argument(name="slow", help="one", reads="speed"),
    Argument(name="weights", help="of scores", listed=True),
    Argument(name="pay", help="classes", form="several"),
)


def test_a_list_goes_on_where_it_is_given_again() -> None:
    line = "only random --only=round-robin weights a=1 weights b=2 pay aws/spot pay gcp/spot"
    assert read_words(KNOWN, line, "routers") == {
        "only": "random,round-robin",
        "weights": "a=1,b=2",
        "pay": ("aws/spot", "gcp/spot"),
    }


def test_nothing_is_said_again_of_a_default_and_0_is_not_nothing() -> None:
    """Found: `sessions --heavy 0%` was kept as asked without it, which means 5 %."""
    share = Argument(name="heavy", help="share", reads="share", default="5%")
    assert share.said_again(0.0) == ("--heavy 0%",)
    assert share.said_again(0.05) == share.said_again(None) == ()
    assert Argument(name="brief", help="less", form="flag").said_again(value=False) == ()


def test_one_value_given_again_is_refused() -> None:
    with pytest.raises(InputError, match=r"--slow: this takes one value, and 2 are given \(got '50%, 40%'\)"):
        read_words(KNOWN, "slow 50% slow 40%", "routers")
