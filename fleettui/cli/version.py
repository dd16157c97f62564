"""The program's version, as it was installed."""

from __future__ import annotations


def program_version() -> str:
    """Return the installed version, or `unknown` where the package runs without being installed."""
    from importlib import metadata

    try:
        return metadata.version("fleettui")
    except metadata.PackageNotFoundError:
        return "unknown"
