import pytest

from fleettui.domain.borderline import Band
from fleettui.domain.compression_procedure import Procedure
from fleettui.domain.compressor_settings import Settings, Weights
from fleettui.domain.serialization import from_plain, to_wire
from fleettui.errors import InputError


def test_a_procedure_crosses_the_pipe() -> None:
    settings = Settings(weights=Weights(position=1.0), first=5)
    one = Procedure(band=Band(split=512, gamma=2.0), output=64, settings=settings, model="folder", scored=0.5)
    assert from_plain(Procedure, to_wire(one)) == one


def test_more_than_all_cannot_be_scored() -> None:
    with pytest.raises(InputError):
        Procedure(band=Band(split=512, gamma=2.0), scored=1.5)
