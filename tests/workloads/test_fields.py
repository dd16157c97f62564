from __future__ import annotations

import pytest

from fleettui.errors import InputError
from fleettui.workloads import fields


def test_absent_fields_have_their_defaults():
    assert fields.text({}, "a") == ""
    assert fields.texts({}, "a") == ()
    assert fields.count({}, "a") == 0
    assert fields.mapping({}, "a") == {}
    assert fields.rows({}, "a", 2) == []
    assert fields.optional_number({"a": None}, "a") is None


def test_a_truth_value_is_no_number():
    with pytest.raises(InputError, match="a is not acceptable"):
        fields.number({"a": True}, "a")


def test_the_place_of_a_refusal_is_put_before_it():
    inner = InputError("is wrong", where="cdf[3]", value=5, accepted="less", remedy="lower it")
    assert str(fields.located(inner, "x.json")) == "x.json: cdf[3]: is wrong (got 5)\n  accepted: less\n  do: lower it"
    assert str(fields.located(InputError("is wrong"), "x.json")) == "x.json: is wrong"
