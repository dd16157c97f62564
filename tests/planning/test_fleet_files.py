from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning.fleet_files import is_given, read_fleet, text_of


def written(folder: Path, pools: str) -> str:
    file = folder / "fleet.yaml"
    file.write_text(f"pools: {pools}\n", "utf-8")
    return str(file)


def test_a_fleet_of_a_file(tmp_path: Path) -> None:
    (pool,) = read_fleet(written(tmp_path, "[{gpu: h100, tp: 8, replicas: 6}]")).pools
    assert (pool.gpu, pool.tp, pool.replicas) == ("h100", 8, 6)


@pytest.mark.parametrize(
    ("pools", "what"),
    [
        ("[{gpu: h1000, tp: 8, replicas: 6}]", "fleet.yaml, pool 1: unknown GPU"),
        ("[{gpu: h100, model: x-9, tp: 8, replicas: 6}]", "fleet.yaml, pool 1: unknown model"),
        ("[{gpu: h100, tp: 8}]", "replicas is missing"),
    ],
)
def test_what_is_no_known_fleet_is_refused_with_its_place(tmp_path: Path, pools: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_fleet(written(tmp_path, pools))


def test_a_fleet_is_given_in_words_or_by_its_file_and_no_plans_name_is_one(tmp_path: Path) -> None:
    file = written(tmp_path, "[{gpu: h100, tp: 8, replicas: 6}]")
    assert [is_given(one) for one in (file, "h100 tp8 x6", "last", "41a7")] == [True, True, False, False]
    assert (text_of(file).where, text_of("h100 tp8 x6").where) == (file, "fleet")
    assert '"replicas": 6' in text_of("h100 tp8 x6").text
    with pytest.raises(InputError, match="no such file"):
        is_given("gone.yaml")
    with pytest.raises(InputError, match="fleet cannot be read"):
        text_of(str(tmp_path / "gone"))
