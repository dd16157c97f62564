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


def test_one_value_given_again_is_refused() -> None:
    with pytest.raises(InputError, match=r"--slow: this takes one value, and 2 are given \(got '50%, 40%'\)"):
        read_words(KNOWN, "slow 50% slow 40%", "routers")
