import pytest

from fleettui.errors import InputError
from fleettui.reports.question.keys import BY_NAME, key_named

DEFAULTS = {
    "peak-factor": "1",
    "peak-hour": "9%",
    "think": "0s",
    "prefix-hit": "0%",
    "drop-longer": "false",
    "percentile": "99",
    "model": "llama-3.1-70b",
    "dtype": "bf16",
    "tp": "auto",
    "whole-nodes": "false",
    "objective": "cost",
    "pools": "1,2",
    "gamma": "1.0",
    "compressible": "100%",
    "router": "length",
    "admission": "paged",
    "max-num-seqs": "engine",
    "token-budget": "engine",
    "context": "auto",
    "max-utilization": "85%",
    "headroom": "0%",
    "availability-target": "99%",
    "arrivals": "poisson",
    "preset": "recommended",
    "verify": "true",
    "precision": "5%",
    "seed": "1",
}


def test_the_option_is_the_name_with_dashes() -> None:
    assert key_named("max_gpus").option == "--max-gpus"


def test_the_fields_of_the_domain_have_these_defaults_in_words() -> None:
    told = {key.name: key.default for key in BY_NAME.values() if key.default}
    assert told.items() >= DEFAULTS.items()
    for key in BY_NAME.values():
        assert not key.default or key.is_default(key.write(key.read(key.default, None)))


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("headroom", "100%", "the share must be below 1 (got '100%')"),
        ("precision", "0", "the share must be below 1 and above 0 (got '0')"),
        ("peak-factor", "0.5", "the factor is below the average (got '0.5')"),
        ("seed", str(2**63), "this is no seed (got"),
    ],
)
def test_a_text_out_of_the_range_of_its_field_is_refused_at_its_place(name: str, text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        BY_NAME[name].read(text, "--here")
    assert str(caught.value).startswith(f"--here: {what}")
    assert "  accepted: " in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3
