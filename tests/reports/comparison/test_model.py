from fleettui.reports.comparison.model import Cell, Row


def test_a_row_differs_where_a_cell_reads_otherwise_or_has_changed() -> None:
    def row(*cells: Cell) -> Row:
        return Row(section="results", label="cost", cells=cells)

    assert not row(Cell(text="a"), Cell(text="a")).differs
    assert row(Cell(text="a"), Cell(text="a"), Cell(text="b")).differs
    assert row(Cell(text="0.44 s"), Cell(text="0.44 s", changed="+1 ms")).differs
