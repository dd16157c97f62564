import subprocess

import pytest

from fleettui.reports.handoff import FORMATS, texts
from fleettui.reports.handoff.model import Subject
from tests.repeated import few
from tests.reports.handoff import yaml_files
from tests.reports.handoff.plans import HOSTILE, PLANS, by_formula, changed, kept, studied, subject, unsure


def written(deployed: Subject) -> dict[str, str]:
    own = [one for one in FORMATS if one.engine in (None, deployed.engine.name)]
    return {file.name: file.text for one in own for file in one.write(studied(deployed) if one.study else deployed)}


@pytest.mark.parametrize("name", few(PLANS, 4))
def test_every_file_names_its_plan_first(name: str) -> None:
    for file, text in written(subject(name)).items():
        lines = text.splitlines()
        first = lines[1] if lines[0] == texts.SHEBANG else lines[0]
        assert file.endswith(".json") or first.startswith("# fleettui plan 9f3c")
        assert "9f3c" in text.partition("\n  ")[0] or file.endswith(".json")


@pytest.mark.thorough
def test_every_file_warns_of_a_plan_that_is_not_proven() -> None:
    told = {
        "the plan is not proven": changed(kept(), verdict="unproven"),
        "the plan fails": changed(kept(), verdict="fail"),
        "passes by formula": by_formula(kept()),
        "at nominal speed only: 50% sure that 16 GPUs": unsure(kept()),
        "dispersion above 2": changed(kept(), warnings=("dispersion above 2",)),
    }
    for words, plan in told.items():
        for text in written(Subject.of(plan)).values():
            assert words in " ".join(text.replace("\n#  ", "").split())
    assert not any("WARNING" in text for text in written(subject("two pools")).values())


def test_hostile_names_break_no_file() -> None:
    found = written(subject("hostile"))
    for file, text in found.items():
        assert text.isascii() or not file.endswith(".json")
        assert all(sign.isprintable() or sign == "\n" for sign in text), file
        assert "\u2028" not in text
        if file.endswith(".sh"):
            subprocess.run(("bash", "-n"), input=text, text=True, check=True, timeout=10)
            code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
            assert not any("touch x" in line or "reboot" in line for line in code if "lengths-" not in line)
        if file.endswith(".yaml") and "/templates/" not in file:  # those are rendered in test_helm
            assert all(one.get("kind") != "Secret" for one in yaml_files.load_all(text) if one is not None)
    assert set(found) >= {"vllm-short-kind-secret.sh", "vllm-reboot-reboot.sh"}


def test_texts_that_other_readers_take_for_numbers_are_quoted() -> None:
    values = {"a": "9e52", "b": "y", "c": "0x1f", "d": "12", "e": "--host", "f": "two\nlines\n", "g": "3868", "h": "no"}
    text = texts.dumped(values)
    assert yaml_files.load(text) == values
    assert "a: '9e52'\nb: 'y'\nc: '0x1f'\nd: '12'\ne: --host\nf: |\n" in text


def test_comments_stay_comments() -> None:
    assert all(line.startswith("# ") for line in texts.comment(f"{HOSTILE} " * 20).splitlines())


def test_an_array_is_read_back_by_the_shell() -> None:
    told = texts.array("words", [(("--a", HOSTILE.replace("\n", " ")), "why\nnot"), (("$(x)",), "`y`")])
    ended = subprocess.run(
        ("bash", "-c", f'{told}\nprintf "%s\\0" "${{words[@]}}"'),
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    assert ended.stdout.split("\0")[:-1] == ["--a", HOSTILE.replace("\n", " "), "$(x)"]
