"""The command line: one command per file, no arithmetic; stdout is data, stderr narration."""

from fleettui.cli.root import app, main

__all__ = ["app", "main"]
