"""What latent attention takes on GPUs whose public runs had it, by engine: a table of the catalogue."""

from __future__ import annotations

from functools import cache

from fleettui.hardware import records
from fleettui.hardware.engine_terms import LatentTerms

FILE = "catalog/latent_attention.toml"


@cache
def latent_terms() -> tuple[LatentTerms, ...]:
    """Return all that is known."""
    return tuple(
        LatentTerms(
            engines=one.texts("engines"),
            gpus=one.texts("gpus"),
            layer=one.number("layer"),
            prompt_layer=one.number("prompt_layer"),
            compute_share=one.number("compute_share"),
            citation=one.citation("terms.latent"),
        )
        for one in records.shipped(FILE).tables("terms")
    )


def latent_of(engine: str) -> tuple[LatentTerms, ...]:
    """Return what is known of an engine."""
    return tuple(one for one in latent_terms() if engine in one.engines)
