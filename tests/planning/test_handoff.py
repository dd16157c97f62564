from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.handoff import formats_of, hand_over, write_folder, written
from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.model import HandoffFile
from store import Store
from tests.store import samples

FILES = (HandoffFile(name="a.sh", about="", text="one\n"), HandoffFile(name="b.yaml", about="", text="two\n"))


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as opened:
        yield opened


def test_several_formats_come_in_the_order_that_is_typed(store: Store) -> None:
    plan = samples.prove(store).plan
    names = [one.name for one in hand_over(store, plan.id, formats_of("keda, Vllm,keda"))]
    assert names == ["keda.yaml", "vllm-short.sh", "vllm-long.sh"]


def test_every_format_takes_a_kept_plan(store: Store) -> None:
    plan = samples.prove(store).plan
    for one in FORMATS:
        if one.engine in (None, "vllm") and not one.study:
            files = hand_over(store, plan.id, (one,))
            assert all(plan.handle in file.text for file in files)


def test_what_rests_on_a_study_asks_for_it(store: Store) -> None:
    plan = samples.prove(store).plan
    with pytest.raises(InputError, match=f"do: fleettui autoscale {plan.handle}"):
        hand_over(store, plan.id, formats_of("hpa"))


def test_a_name_that_is_none_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="hand-off"):
        formats_of("vllm,chef")


def test_another_engine_is_another_plan(store: Store) -> None:
    with pytest.raises(InputError, match="the plan is for vllm"):
        hand_over(store, samples.prove(store).plan.id, formats_of("sglang"))


def test_neither_an_open_plan_nor_one_without_a_fleet_is_handed_over(store: Store) -> None:
    begun, _ = samples.begin(store, samples.unproven(1, name="open"))
    with pytest.raises(InputError, match="not finished"):
        hand_over(store, begun.plan.id, formats_of("vllm"))
    with pytest.raises(InputError, match="nothing to deploy"):
        hand_over(store, samples.add(store, samples.infeasible()).plan.id, formats_of("vllm"))


def test_one_file_is_printed_as_it_is_and_several_by_name() -> None:
    assert written(FILES[:1]) == "one\n"
    assert written(FILES) == "# file: a.sh\none\n\n# file: b.yaml\ntwo\n"


def test_nothing_is_written_where_one_file_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert write_folder(FILES, folder, force=False) == (folder / "a.sh", folder / "b.yaml")
    (folder / "a.sh").unlink()
    with pytest.raises(InputError, match="the file exists"):
        write_folder(FILES, folder, force=False)
    assert not (folder / "a.sh").exists()
    changed = tuple(replace(one, text="three\n") for one in FILES)
    write_folder(changed, folder, force=True)
    assert [one.read_text("utf-8") for one in sorted(folder.iterdir())] == ["three\n", "three\n"]


def test_a_folder_is_where_files_go(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="this is a file"):
        write_folder(FILES, tmp_path / "file", force=True)
    with pytest.raises(InputError, match="cannot be made"):
        write_folder(FILES, tmp_path / "none" / "below", force=True)
