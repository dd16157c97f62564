"""The printed cells: all tables are there, names are found as people type them, few cells are beyond reproduction."""

import pytest

from fleettui.errors import UnknownNameError
from fleettui.optimize.published.tables import TABLES, named

FLEETOPT = ("FO T1", "FO T2", "FO T3", "FO T4", "FO T5", "FO T6", "FO 7.4")
FLEET_SIM = ("IFS T1", "IFS T2", "IFS T3", "IFS T4", "IFS T6", "IFS T7", "IFS T8", "IFS T9", "IFS Eq. 6")
REFERENCE = ("DOC 1", "DOC 2")
ROUTERS = ("IFS 4.2", "IFS T5", "DOC 6")


def test_every_published_table_is_there() -> None:
    assert [table.title for table in TABLES] == [*FLEETOPT, *FLEET_SIM, *REFERENCE, *ROUTERS]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("FO T3", "FO T3"),
        ("fo-t3", "FO T3"),
        ("ft3", "FO T3"),
        ("FleetOpt Table 3", "FO T3"),
        ("FO 7.4", "FO 7.4"),
        ("fo section 7.4", "FO 7.4"),
        ("IFS T9", "IFS T9"),
        ("it9", "IFS T9"),
        ("inference-fleet-sim, Table 9", "IFS T9"),
        ("ifs eq. 6", "IFS Eq. 6"),
        ("Eq6", "IFS Eq. 6"),
        ("DOC §1", "DOC 1"),
        ("model reference, section 2", "DOC 2"),
    ],
)
def test_a_table_is_found_however_it_is_typed(typed: str, title: str) -> None:
    assert named(typed).title == title


@pytest.mark.parametrize("typed", ["", "T3", "FO T7", "IFS T10", "FO", "table"])
def test_an_unknown_or_ambiguous_name_says_where_the_tables_stand(typed: str) -> None:
    with pytest.raises(UnknownNameError, match="fleettui published --help shows them"):
        named(typed)


def test_cells_have_names_of_their_own() -> None:
    for table in TABLES:
        names = [cell.name for cell in table.cells]
        assert len(set(names)) == len(names), table.title


def test_few_cells_are_beyond_honest_reproduction_and_each_says_why() -> None:
    missed = [cell for table in TABLES for cell in table.cells if not cell.reproduced]
    assert 0 < len(missed) <= 25
    assert all(cell.note for cell in missed)
