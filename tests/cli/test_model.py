import json
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., tuple[int, str, str]]


def test_the_known_models(run: Run) -> None:
    code, out, err = run("model", "list")
    assert (code, err) == (0, "")
    assert {"llama-3.1-70b", "deepseek-v3"} <= {line.split()[0] for line in out.splitlines()}
    assert max(map(len, out.splitlines())) <= 80
    assert len(json.loads(run("model", "list", "--json")[1])["models"]) >= 6


def test_one_model_in_any_case(run: Run) -> None:
    assert run("model", "show", "Qwen3-32B")[1].startswith("qwen3-32b  ")
    assert json.loads(run("model", "show", "qwen3-32b", "--json")[1])["model"]["layers"] == 64


def test_unknown_models_and_files_are_refused(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    assert "llama-3.1-8b" in refused(run("model", "show", "llama-9"))
    refused(run("model", "show", str(tmp_path / "config.json")))
    odd = tmp_path / "odd.json"
    odd.write_text('{"architectures": ["MambaForCausalLM"]}', "utf-8")
    refused(run("model", "show", str(odd)))
