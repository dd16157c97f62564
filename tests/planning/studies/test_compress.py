import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.compression.generate import Genre, prompt
from fleettui.errors import InputError
from fleettui.planning.studies import commands, read_line
from fleettui.planning.studies.compress import read
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched

SMALL = {"split": "512", "gamma": "1.5"}


def prompts(path: Path, count: int = 6) -> str:
    """A file of borderline prompts, of code every third, and lines that are none; returns its path."""
    genres: list[tuple[Genre, int]] = [("prose", 2800), ("rag", 2800), ("code", 2300)]
    made = [prompt(*genres[number % 3], number).text for number in range(count)]
    lines = [{"prompt": text, "output_tokens": 64} for text in made]
    (path / "prompts.jsonl").write_text("\n".join([*map(json.dumps, lines), "{", '{"prompt": ""}']))
    return str(path / "prompts.jsonl")


async def test_a_file_of_prompts_becomes_a_study_without_a_text(store: Store, workers: Watched, tmp_path: Path) -> None:
    study = await make("compress", store, pool=workers, **read({"prompts": prompts(tmp_path), **SMALL}))
    assert store.study(study.handle) == study
    band = study.tables[0].records()[0]
    assert (band["borderline"], band["p_c"]) == (6, pytest.approx(4 / 6))
    assert study.warnings[1] == "2 lines were left out: 1 no prompt text, 1 not JSON"
    kept = (tmp_path / "prompts.jsonl").read_text()
    told = repr(study)
    assert not any(sentence in told for sentence in kept.split(". ") if len(sentence) > 25)


async def test_what_holds_no_prompt_is_refused(store: Store, workers: Watched, tmp_path: Path) -> None:
    for name, text, words in (("none", '{"prompt": "a"}\n[]', "holds no prompt"), ("empty", "", "is empty")):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=words):
            await make("compress", store, pool=workers, **read({"prompts": str(tmp_path / name), **SMALL}))
    with pytest.raises(InputError, match="no plain file"):
        await make("compress", store, pool=workers, **read({"prompts": str(tmp_path), **SMALL}))
    with pytest.raises(InputError, match="No such file"):
        await make("compress", store, pool=workers, **read({"prompts": str(tmp_path / "no"), **SMALL}))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prompts": "x", "gamma": "0.9"}, "gamma is out of range"),
        ({"prompts": "x", "gamma": "5"}, "gamma is out of range"),
        ({"prompts": "x", "split": "0"}, "tokens"),
        ({"prompts": "x", "output": "8192"}, "below the outputs"),
        ({"prompts": "generated", "split": "200"}, "below the outputs"),
    ],
)
def test_a_band_without_sense_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(given)


def test_a_line_of_the_app_has_the_options_of_the_command() -> None:
    command = commands()["compress"]
    told = {"prompts": "p.jsonl", "gamma": "2", "output": "128"}
    assert read_line(command, "p.jsonl gamma 2 output 128") == told
    with pytest.raises(InputError, match="no word for compress"):
        read_line(command, "p.jsonl weight 2")
