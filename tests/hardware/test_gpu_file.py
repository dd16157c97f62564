"""A GPU file of the user's, wherever a GPU is named."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.hardware import catalog

H100 = catalog.folder("gpus").joinpath("h100.toml").read_text("utf-8")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "Mine.toml"
    path.write_text(H100.replace('name = "h100"', 'name = "my-h100"').replace("3.35e12", "3.0e12"), "utf-8")
    return path


def test_a_file_is_a_gpu_under_its_own_name(mine: Path) -> None:
    gpu = catalog.gpu(str(mine))
    assert (gpu.name, gpu.bandwidth, gpu.memory) == ("my-h100", 3.0e12, catalog.gpu("h100").memory)


def test_a_file_that_changed_is_read_anew(mine: Path) -> None:
    catalog.gpu(str(mine))
    mine.write_text(mine.read_text("utf-8").replace("3.0e12", "2.0e12"), "utf-8")
    assert catalog.gpu(str(mine)).bandwidth == 2.0e12


@pytest.mark.parametrize("name", ["h100", "My H100", "a,b", "", "x.toml", "../x"])
def test_a_name_that_is_taken_or_cannot_be_typed_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(H100.replace('name = "h100"', f'name = "{name}"'), "utf-8")
    with pytest.raises(InputError, match=r"x\.toml"):
        catalog.gpu(str(path))


@pytest.mark.parametrize("name", ["no/such.toml", "missing.toml", "./x", "a\\b"])
def test_a_file_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="no such file"):
        catalog.gpu(name)


def test_what_is_no_toml_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    for content, message in [
        (b"\xff\xfe", "is no text"),
        (b"name = ", "no valid TOML"),
        (b"#" * 2**21, "larger than"),
        (b"a = " + b"[" * 5_000, "nested too deep"),
    ]:
        path.write_bytes(content)
        with pytest.raises(InputError, match=message):
            catalog.gpu(str(path))
    with pytest.raises(InputError, match="cannot be read"):
        catalog.gpu(f"{tmp_path}/")
    with pytest.raises(InputError, match="this is no path"):
        catalog.gpu("./a\0.toml")


def test_a_figure_without_source_is_told_with_what_to_start_from(mine: Path) -> None:
    text = mine.read_text("utf-8")
    at = text.index("source = ", text.index("[memory]"))
    mine.write_text(text[:at] + "# " + text[at:], "utf-8")
    line = text[: text.index("[memory]")].count("\n") + 1
    with pytest.raises(
        InputError,
        match=rf": line {line} \[memory\]: key source is missing or no text\n  do: fleettui gpu show h100 --toml",
    ):
        catalog.gpu(str(mine))
