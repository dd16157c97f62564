from pathlib import Path

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.catalogue import gpu, gpus, model, models


def test_everything_is_listed_by_name() -> None:
    names = [found.name for found in models()]
    assert names == sorted(names)
    assert {"llama-3.1-70b", "deepseek-v3"} <= set(names)
    assert all(gpu(found.name) == found for found in gpus())
    assert all(model(found.name) == found for found in models())


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UnknownNameError, match="h200"):
        gpu("h20")


def test_a_config_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        model(str(tmp_path / "config.json"))
