import subprocess
import sys

import pytest

import fleettui


def test_the_public_names_are_sorted_and_there() -> None:
    assert fleettui.__all__ == sorted(fleettui.__all__)
    assert all(getattr(fleettui, name) is not None for name in fleettui.__all__)
    assert set(fleettui.__all__) <= set(dir(fleettui))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="plans"):
        _ = fleettui.plans


def test_importing_it_loads_nothing_of_it() -> None:
    check = (
        "import sys; before = set(sys.modules); import fleettui; "
        "print(*sorted(name for name in set(sys.modules) - before if name.partition('.')[0] in "
        "('fleettui', 'store', 'numpy', 'scipy', 'pydantic', 'sqlmodel', 'textual', 'typer')))"
    )
    found = subprocess.run((sys.executable, "-c", check), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split() == ["fleettui"]
