from __future__ import annotations

import pytest

from fleettui.errors import InputError
from fleettui.workloads.formats.line_blocks import Block, blocks, head, lines_of


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("size", [3, 7, 1 << 20])
def test_blocks_hold_whole_lines_and_know_their_number(write, zipped, size):
    path = write("ab\r\ncd\r\n\r\nefghij\r\nlast", zipped=zipped)
    found = list(blocks(path, size))
    assert b"".join(block.data for block in found) == b"ab\ncd\n\nefghij\nlast\n"
    for block in found:
        before = sum(other.data.count(b"\n") for other in found if other.first_line < block.first_line)
        assert block.first_line == before + 1


def test_a_byte_order_mark_is_left_out(write):
    path = write("a,b\n1,2\n".encode("utf-8-sig"))
    assert head(path) == b"a,b\n1,2\n"
    assert next(blocks(path)).data == b"a,b\n1,2\n"


def test_lines_skip_blanks_but_count_them(write):
    path = write("")
    assert list(lines_of(Block(5, b"a\n\n \nb\n"), path)) == [(5, "a"), (8, "b")]


def test_bytes_that_are_no_text_are_refused_with_their_line(write):
    path = write("")
    with pytest.raises(InputError, match="line 3: is not text"):
        list(lines_of(Block(2, b"a\n\xff\xfe\n"), path))


def test_a_line_without_end_is_refused(write, monkeypatch):
    monkeypatch.setattr("fleettui.workloads.formats.line_blocks.LONGEST_LINE", 100)
    path = write("short\n" + "x" * 1000)
    with pytest.raises(InputError, match="line 2: the line does not end"):
        list(blocks(path, 64))


def test_a_file_that_may_not_be_read_is_refused(write, monkeypatch):
    path = write("a")

    def refuse(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(InputError) as caught:
        head(path)
    assert str(path) in str(caught.value)
    assert "may not be read" in str(caught.value)
    assert "accepted: a readable file" in str(caught.value)


def test_any_other_trouble_with_a_file_is_refused(write, monkeypatch):
    path = write("a")

    def refuse(*_args, **_more):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(InputError, match="Input/output error"):
        head(path)
