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


def test_a_second_name_leads_to_the_model_and_is_listed(run: Run) -> None:
    assert run("model", "show", "DeepSeek-R1")[1] == run("model", "show", "deepseek-v3")[1]
    assert "deepseek-r1 is deepseek-v3" in " ".join(run("model", "list")[1].split())
    listed = json.loads(run("model", "list", "--json")[1])
    assert listed["aliases"]["deepseek-r1"] == "deepseek-v3"
    assert "deepseek-r1" not in {one["name"] for one in listed["models"]}


def test_every_model_fits_80_columns(run: Run) -> None:
    for name in (one["name"] for one in json.loads(run("model", "list", "--json")[1])["models"]):
        code, out, _ = run("model", "show", name)
        assert code == 0
        assert max(map(len, out.splitlines())) <= 80


def test_one_model_in_any_case(run: Run) -> None:
    assert run("model", "show", "Qwen3-32B")[1].startswith("qwen3-32b  ")
    assert json.loads(run("model", "show", "qwen3-32b", "--json")[1])["model"]["layers"] == 64


def test_unknown_models_and_files_are_refused(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    assert "did you mean llama-3.1-8b? (fleettui model list shows them)" in refused(
        run("model", "show", "llama-3.1-9b")
    )
    refused(run("model", "show", str(tmp_path / "config.json")))
    odd = tmp_path / "odd.json"
    odd.write_text('{"architectures": ["MambaForCausalLM"]}', "utf-8")
    refused(run("model", "show", str(odd)))
