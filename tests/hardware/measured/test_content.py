"""A file taken apart before anybody knows what wrote it."""

import hashlib
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.hardware.measured.content import parsed, read_content


def test_objects_that_follow_each_other_have_their_lines() -> None:
    found = parsed('{"a": 1}\n\n{"a": 2}', "runs")
    assert found.objects == ((1, {"a": 1}), (3, {"a": 2}))
    assert found.header == ()


def test_a_broken_object_is_skipped_and_the_next_is_read() -> None:
    found = parsed('{"a": 1}\n{"a": \n{"a": 3}', "runs")
    assert [line for line, _ in found.objects] == [1, 3]
    assert [one.line for one in found.skipped] == [2]


def test_a_list_has_places_for_lines() -> None:
    assert [line for line, _ in parsed('[{"a": 1}, 5, {"a": 2}]', "runs").objects] == [1, 3]


@pytest.mark.parametrize("text", ["", "  \n", "[]", "[1, 2]", "{", "[" * 100_000])
def test_nothing_that_is_a_run_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"runs: .*(holds no)"):
        parsed(text, "runs")


def test_a_file_that_was_cut_is_told_with_its_line_and_what_to_do() -> None:
    with pytest.raises(InputError) as caught:
        parsed('\n{"a": 1, "b', "runs")
    first, *_, last = str(caught.value).splitlines()
    assert "(got 'line 2 is no JSON: Unterminated string" in first
    assert last == "  do: check that the file was copied whole"


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    noise = tmp_path / "noise.csv"
    noise.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(InputError, match="is no text"):
        read_content(noise)
    with pytest.raises(InputError, match="no such file"):
        read_content(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_content(tmp_path)


def test_the_digest_is_of_the_bytes_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n")
    found = read_content(path)
    assert found.header == ("a", "b")
    assert found.digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_line_that_is_no_text_is_skipped_and_the_others_are_read(tmp_path: Path) -> None:
    """Found: one byte of another encoding refused a file of runs."""
    path = tmp_path / "runs.csv"
    path.write_bytes(b"\xef\xbb\xbfserver,tpot\r\na,1\r\nM\xfcller,2\r\nb,3\r\n")
    found = read_content(path)
    assert [(line, cells) for line, cells in found.rows] == [(1, ("server", "tpot")), (2, ("a", "1")), (4, ("b", "3"))]
    assert [(one.line, one.why) for one in found.skipped] == [(3, "is no text")]
