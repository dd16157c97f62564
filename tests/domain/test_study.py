import math

from fleettui.domain.study import table_of


def test_a_figure_without_end_is_undefined_in_a_table() -> None:
    found = table_of("waits", [1.0, math.inf, math.nan], ("wait", "seconds", lambda wait: wait))
    assert found.rows == ((1.0,), (None,), (None,))
