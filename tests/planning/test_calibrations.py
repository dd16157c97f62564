"""Fits by name: kept once, found again, and never changed."""

from pathlib import Path

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware.kept_fits import kept, names
from fleettui.planning.calibrations import fit

HEAD = "prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms"
SETUP = Setup(model="llama-3.1-70b", gpu="h100", engine="vllm", dtype="fp8", tp=4)


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config" / "config.toml"))


@pytest.fixture
def runs(tmp_path: Path) -> str:
    path = tmp_path / "My runs.csv"
    path.write_text(f"{HEAD}\n1024,256,1,60,9\n1024,256,64,400,20\n")
    return str(path)


async def test_a_fit_is_kept_and_found_again(runs: str) -> None:
    assert names() == ()
    found = await fit([runs], setup=SETUP)
    assert (found.name, names()) == ("my-runs", ("my-runs",))
    assert kept("my-runs") == found
    assert await fit([runs], setup=SETUP) == found


async def test_a_kept_fit_does_not_change(runs: str) -> None:
    found = await fit([runs], name="prod", setup=SETUP)
    with pytest.raises(InputError, match="a fit of other runs has this name"):
        await fit([runs], name="prod", setup=SETUP, step_law="roofline")
    assert kept("prod") == found


async def test_names_and_files_that_are_none_are_refused(runs: str) -> None:
    for name in ("", "Prod", "../x", "a" * 65):
        with pytest.raises(InputError, match="a fit cannot be called so"):
            await fit([runs], name=name, setup=SETUP)
