"""Tables of studies in schema 2: what has no other name stays, and what is undefined stays undefined."""

from fleettui.reports.schema_two_tables import is_table, table_of_two


def test_what_has_one_name_already_stays_as_it_is() -> None:
    plain = {
        "title": "t",
        "note": "",
        "columns": [{"name": "gpus", "quantity": "count"}, {"name": "replicas", "quantity": "count"}],
        "rows": [{"gpus": 8, "replicas": 1}],
    }
    assert is_table(plain)
    assert table_of_two(plain) == plain
    assert not is_table({"title": "t"})


def test_undefined_cells_stay_undefined() -> None:
    names = (("fleet", "text"), ("replicas", "text"), ("up_to", "tokens"))
    plain = {
        "title": "t",
        "note": "",
        "columns": [{"name": name, "quantity": quantity} for name, quantity in names],
        "rows": [{"fleet": "none", "replicas": text, "up_to": 4096} for text in (None, "none", "2 + 6")],
    }
    rows = table_of_two(plain)["rows"]
    assert [row["replicas"] for row in rows] == [None, None, [2, 6]]
    assert rows[0] == {"fleet": None, "replicas": None, "tokens_up_to": 4096}
