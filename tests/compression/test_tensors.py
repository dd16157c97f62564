from pathlib import Path

import numpy as np
import pytest

from fleettui.compression.tensors import TensorFile
from fleettui.errors import InputError
from tests.compression.models import write_tensors

VALUES = np.array([[0.5, -1.25, 3.0], [0.0, 1e-3, -65504.0]], np.float32)


@pytest.mark.parametrize(("kind", "error"), [("F32", 0.0), ("F16", 1e-3), ("BF16", 8e-3)])
def test_numbers_of_every_precision_are_read(tmp_path: Path, kind: str, error: float) -> None:
    path = tmp_path / "model.safetensors"
    write_tensors(path, {"one": VALUES[:1], "two": VALUES}, kind)
    found = TensorFile(path)
    assert "two" in found
    assert "__metadata__" not in found
    assert found.read("two").dtype == np.float32
    np.testing.assert_allclose(found.read("two"), VALUES, rtol=error)


@pytest.mark.parametrize("data", [b"", b"\x05\0\0\0\0\0\0\0{]", b"\xff" * 40, b"\x02\0\0\0\0\0\0\0[]"])
def test_what_is_no_file_of_tensors_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"model\.safetensors"):
        TensorFile(path)


def test_a_tensor_that_is_missing_or_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    write_tensors(path, {"one": VALUES})
    path.write_bytes(path.read_bytes()[:-4])
    for name in ("one", "two"):
        with pytest.raises(InputError, match="cut off"):
            TensorFile(path).read(name)
