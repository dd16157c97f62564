"""`fleettui published`: the JSON of one small table, its text within 80 columns, and what is refused."""

import json
from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
KEYS = ["table", "cell", "printed", "paper", "recommended", "note"]


def test_a_table_as_json_and_again_from_the_store(run: Run) -> None:
    code, out, err = run("published", "ifs eq 6", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["schema"], found["command"]) == (1, "published")
    (table,) = found["tables"]
    assert table["table"] == "IFS Eq. 6"
    assert [list(cell) for cell in table["cells"]] == [KEYS, KEYS]
    assert [cell["printed"] for cell in table["cells"]] == [0.9989, 0.9871]
    assert all(abs(cell["paper"] - cell["printed"]) <= 1e-4 for cell in table["cells"])
    again = json.loads(run("show", found["study"]["handle"], "--json")[1])
    assert again["tables"] == found["tables"]


def test_a_table_as_text_fits_the_terminal(run: Run) -> None:
    code, out, _ = run("published", "FO T2")
    assert code == 0
    assert out.startswith("FO T2\n")
    assert "Azure cliff" in out
    assert max(map(len, out.splitlines())) <= 80


def test_an_unknown_table_is_refused_with_the_nearest_and_where_all_stand(
    run: Run, refused: Callable[..., str]
) -> None:
    said = refused(run("published", "FO T9"))
    assert "did you mean FO T" in said
    assert "fleettui published --help shows them" in said
    listed = run("published", "--help")[1]
    assert "FO T2 T3 T5" in listed
    assert "Eq. 6" in listed
