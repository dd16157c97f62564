"""Reading a config.json: the refusals."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields, read_config


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"hidden_size": 4096, "num_', "no valid JSON at line 1"),
        (b"", "no valid JSON"),
        (b"[1, 2]", "holds no JSON object"),
        (b"\x80\x81\xfe\x00binary", "no JSON"),
        (b"[" * 200_000, "no JSON"),
        (b"[" + b"9" * 5_000 + b"]", "is no JSON text"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_config(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_config(tmp_path / "config.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_config(tmp_path)


@pytest.mark.parametrize("value", [0, -1, 1.5, "8", True, [8], 10**9 + 1, 10**400])
def test_a_count_must_be_a_whole_number_above_zero(value: object) -> None:
    with pytest.raises(InputError, match=r"c.json: key layers is no usable count"):
        ConfigFields({"layers": value}, "c.json").count("layers")


def test_an_absent_or_null_key_takes_its_default_or_is_refused() -> None:
    fields = ConfigFields({"a": None}, "c.json")
    assert fields.count("a", 7) == fields.count("b", 7) == 7
    assert fields.counts("a") == ()
    assert fields.flag("a", default=True) is True
    with pytest.raises(InputError, match="key a is missing"):
        fields.count("a")


@pytest.mark.parametrize("value", [None, "LlamaForCausalLM", [], ["A", "B"], [3]])
def test_one_architecture_is_demanded(value: object) -> None:
    with pytest.raises(InputError, match="architectures"):
        ConfigFields({"architectures": value}, "c.json").architecture()


@pytest.mark.parametrize("value", ["fp8", {}, {"quant_method": 8}])
def test_quantization_must_name_its_method(value: object) -> None:
    with pytest.raises(InputError, match="quant_method"):
        ConfigFields({"quantization_config": value}, "c.json").quantization()


@pytest.mark.parametrize("value", ["4096", "", "null", None])
def test_a_string_or_null_where_a_number_is_due_is_refused_with_its_place(value: object) -> None:
    with pytest.raises(InputError, match=r"^a/config.json: key hidden_size is (missing|no usable count)"):
        ConfigFields({"hidden_size": value}, "a/config.json").count("hidden_size")


def test_flags_and_lists_are_typed() -> None:
    fields = ConfigFields({"flag": "yes", "list": [1, "2"]}, "c.json")
    with pytest.raises(InputError, match="neither true nor false"):
        fields.flag("flag", default=False)
    with pytest.raises(InputError, match="no list of whole numbers"):
        fields.counts("list")
