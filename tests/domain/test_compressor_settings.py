import pytest

from fleettui.domain.compressor_settings import Settings, Weights
from fleettui.errors import InputError


@pytest.mark.parametrize("wrong", [{"textrank": -0.1}, {"textrank": 0, "position": 0, "tfidf": 0, "novelty": 0}])
def test_weights_that_rank_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Weights(**wrong)


@pytest.mark.parametrize("wrong", [{"first": -1}, {"last": -1}, {"damping": 1.0}])
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Settings(**wrong)  # type: ignore[arg-type]
