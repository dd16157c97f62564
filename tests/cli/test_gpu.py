import json
from collections.abc import Callable

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


def test_an_unknown_gpu_lists_the_known(run: Run, refused: Callable[..., str]) -> None:
    message = refused(run("gpu", "show", "h1000"))
    assert "mi300x" in message
    assert "did you mean h100?" in message
