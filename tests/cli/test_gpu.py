import json
from collections.abc import Callable
from pathlib import Path

from fleettui.hardware import catalog

Run = Callable[..., tuple[int, str, str]]


def test_the_known_gpus(run: Run) -> None:
    code, out, err = run("gpu", "list")
    assert (code, err) == (0, "")
    assert {"a10g", "h100", "mi300x"} <= {line.split()[0] for line in out.splitlines()}
    assert max(map(len, out.splitlines())) <= 80
    assert {one["name"] for one in json.loads(run("gpu", "list", "--json")[1])["gpus"]} >= {"h100", "b200"}


def test_one_gpu_in_any_case(run: Run) -> None:
    assert run("gpu", "show", "H100")[1].startswith("h100  NVIDIA\n")
    assert json.loads(run("gpu", "show", "h100", "--json")[1])["gpu"]["name"] == "h100"


def test_every_gpu_fits_80_columns(run: Run) -> None:
    for name in (one["name"] for one in json.loads(run("gpu", "list", "--json")[1])["gpus"]):
        code, out, _ = run("gpu", "show", name)
        assert code == 0
        assert max(map(len, out.splitlines())) <= 80


def test_a_file_in_the_catalogues_form_is_shown(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    text = catalog.folder("gpus").joinpath("h100.toml").read_text("utf-8")
    path = tmp_path / "Mine.toml"
    path.write_text(text.replace('name = "h100"', 'name = "mine"'), "utf-8")
    assert run("gpu", "show", str(path))[1].startswith("mine  NVIDIA\n")
    path.write_text(text, "utf-8")
    assert "my-h100" in refused(run("gpu", "show", str(path)))


def test_a_file_to_start_from_is_the_catalogues(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    code, out, _ = run("gpu", "show", "B200", "--toml")
    assert (code, out) == (0, catalog.gpu_text("b200"))
    path = tmp_path / "mine.toml"
    path.write_text(out.replace('name = "b200"', 'name = "my-b200"'), "utf-8")
    assert run("gpu", "show", str(path))[1].startswith("my-b200  NVIDIA\n")
    assert "did you mean b200?" in refused(run("gpu", "show", "b20", "--toml"))


def test_an_unknown_gpu_says_where_the_known_are(run: Run, refused: Callable[..., str]) -> None:
    message = refused(run("gpu", "show", "h1000"))
    assert "fleettui gpu list shows them" in message
    assert "did you mean h100?" in message
