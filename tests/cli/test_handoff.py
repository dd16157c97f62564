import json
from collections.abc import Callable
from pathlib import Path

from fleettui.reports.handoff import FORMATS

Run = Callable[..., tuple[int, str, str]]


def test_one_file_is_printed_to_be_piped(run: Run, handle: str) -> None:
    code, out, err = run("handoff", handle, "--for", "kubernetes")
    assert (code, err) == (0, "")
    assert out.startswith(f'# fleettui plan {handle} "chat", engine version ')
    assert "kind: Deployment" in out
    assert run("handoff", "--for", "kubernetes")[1] == out


def test_files_go_to_a_folder_and_over_none_unasked(
    run: Run, refused: Callable[..., str], handle: str, tmp_path: Path
) -> None:
    folder = tmp_path / "deploy"
    typed = ("handoff", handle, "--for", "vllm,alerts", "-o", str(folder))
    code, out, err = run(*typed)
    assert (code, out) == (0, "")
    assert err == "".join(f"written: {folder / name}\n" for name in ("vllm-short.sh", "vllm-long.sh", "alerts.yaml"))
    (folder / "alerts.yaml").write_text("mine", "utf-8")
    assert "--force" in refused(run(*typed))
    assert (folder / "alerts.yaml").read_text("utf-8") == "mine"
    assert run(*typed, "--force")[0] == 0
    assert (folder / "alerts.yaml").read_text("utf-8").startswith("# fleettui plan")


def test_it_is_data_too(run: Run, handle: str) -> None:
    found = json.loads(run("handoff", handle, "--for", "vllm", "--json")[1])
    assert (found["schema"], found["command"]) == (1, "handoff")
    assert [one["name"] for one in found["files"]] == ["vllm-short.sh", "vllm-long.sh"]
    assert set(found["files"][0]) == {"name", "about", "text"}


def test_the_help_names_every_format_and_so_does_a_refusal(run: Run, refused: Callable[..., str], handle: str) -> None:
    told = " ".join(run("handoff", "--help")[1].split())
    assert ", ".join(FORMATS.names) in told
    assert all(name in refused(run("handoff", handle, "--for", "chef")) for name in FORMATS.names)
    assert refused(run("handoff", handle))
