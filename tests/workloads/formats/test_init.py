"""Tests of `fleettui.workloads.formats` itself: the registry."""

from __future__ import annotations

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.workloads import formats


def test_two_formats_of_one_name_are_a_bug():
    with pytest.raises(AssertionError, match="share a name"):
        formats._registered(formats.FORMATS[0], formats.FORMATS[0])


def test_an_unknown_format_lists_the_known():
    with pytest.raises(UnknownNameError) as caught:
        formats.named("azur")
    assert "accepted: azure, cdf, jsonl, mooncake, normalized" in str(caught.value)
    assert "did you mean azure?" in str(caught.value)


@pytest.mark.parametrize("name", [one.name for one in formats.FORMATS])
def test_each_format_is_found_by_name(name):
    assert formats.named(name).name == name


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("[[1, 1]]", "cdf"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\r\n", "azure"),
        ('{"timestamp": 0, "input_length": 1, "output_length": 1}', "mooncake"),
        ("arrival_s,input_tokens,output_tokens\n", "normalized"),
        ('{"prompt_tokens": 1, "completion_tokens": 1}', "jsonl"),
    ],
)
def test_content_decides_and_not_the_name(write, content, name):
    assert formats.sniffed(write(content, "misleading.parquet")).name == name


def test_unknown_content_is_refused_with_what_is_known(write):
    with pytest.raises(InputError) as caught:
        formats.sniffed(write("time,in,out\n1,2,3\n"))
    assert "line 1: the columns or keys are of no known format (got 'time,in,out')" in str(caught.value)
    assert all(one.about in str(caught.value) for one in formats.FORMATS)
