import json
from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]


def test_the_known_engines_and_how_they_start(run: Run, refused: Callable[..., str]) -> None:
    code, out, err = run("engine", "list", "--gpu", "h100,a100")
    assert (code, err) == (0, "")
    assert "2,048 and 256 on a100" in next(line for line in out.splitlines() if line.startswith("vllm"))
    found = json.loads(run("engine", "list", "--gpu", "h100", "--json")[1])["engines"]
    assert {one["name"] for one in found} == {"vllm", "vllm-0.13", "sglang", "trtllm"}
    assert {one["settings"][0][0] for one in found} == {"h100"}
    assert "did you mean h100?" in refused(run("engine", "list", "--gpu", "h1000"))


def test_one_engine_with_its_sources(run: Run, refused: Callable[..., str]) -> None:
    code, out, _ = run("engine", "show", "vllm")
    assert code == 0
    assert out.startswith("vllm ")
    assert "terms: vLLM 0.20.2 on one H100" in out
    assert max(map(len, out.splitlines())) <= 80
    assert json.loads(run("engine", "show", "vllm", "--json")[1])["engine"]["version"]
    refused(run("engine", "show", "tgi"))
