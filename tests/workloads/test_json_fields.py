from __future__ import annotations

import pytest

from fleettui.errors import InputError
from fleettui.workloads import json_fields


def test_absent_fields_have_their_defaults():
    assert json_fields.text({}, "a") == ""
    assert json_fields.texts({}, "a") == ()
    assert json_fields.count({}, "a") == 0
    assert json_fields.mapping({}, "a") == {}
    assert json_fields.rows({}, "a", 2) == []
    assert json_fields.optional_number({"a": None}, "a") is None


def test_a_truth_value_is_no_number():
    with pytest.raises(InputError, match="a is not acceptable"):
        json_fields.number({"a": True}, "a")


def test_a_number_that_no_float_holds_is_refused():
    with pytest.raises(InputError, match="a holds a number too large"):
        json_fields.number({"a": 10**400}, "a")


def test_the_place_of_a_refusal_is_put_before_it():
    inner = InputError("is wrong", where="cdf[3]", value=5, accepted="less", remedy="lower it")
    assert (
        str(json_fields.located(inner, "x.json"))
        == "x.json: cdf[3]: is wrong (got 5)\n  accepted: less\n  do: lower it"
    )
    assert str(json_fields.located(InputError("is wrong"), "x.json")) == "x.json: is wrong"
