from pathlib import Path

import pytest

from fleettui.domain.borderline import Band
from fleettui.domain.compression_procedure import Procedure
from fleettui.errors import InputError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import compress
from tests.compression.models import write_model

PROCEDURE = Procedure(band=Band(split=512, gamma=1.5), output=64)


def test_without_a_tokenizers_file_bytes_are_counted_and_without_a_model_nothing_is_scored() -> None:
    assert compress.names(Context(), procedure=PROCEDURE) == ("their bytes, with a margin of 8%",)


def test_made_prompts_are_tried() -> None:
    found = compress.made(Context(), first=0, count=2, of=8, seed=1, procedure=PROCEDURE)
    assert len(found.tried) + found.short + found.beyond == 2
    assert all(one.bertscore is None for one in found.tried)


@pytest.mark.thorough
def test_a_model_scores_what_is_compressed(tmp_path: Path) -> None:
    folder = str(write_model(tmp_path / "small"))
    procedure = Procedure(band=PROCEDURE.band, output=64, model=folder, scored=1.0)
    assert compress.names(Context(), procedure=procedure)[1] == "layer 1 of small"
    found = compress.made(Context(), first=0, count=3, of=8, seed=1, procedure=procedure)
    assert {one.category: one.bertscore is not None for one in found.tried} == {
        "prose": True,
        "rag": True,
        "code": False,
    }
    with pytest.raises(InputError, match="lacks files"):
        compress.names(Context(), procedure=Procedure(band=PROCEDURE.band, model=str(tmp_path)))
