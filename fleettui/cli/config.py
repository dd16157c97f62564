"""`fleettui config`: the settings, each with where it comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
An option wins over the environment (FLEETTUI_SLO_TTFT=500ms), that over the
file (slo-ttft = "500ms"), that over the default. Examples:
  fleettui config show
  FLEETTUI_MODEL=qwen3-32b fleettui config show --json
  fleettui config completion
"""

app = new_app("config", "Settings and where they come from.", EXAMPLES)


@app.command("show")
def show(as_json: AsJson = False) -> None:
    """List the settings with their values and sources."""
    from fleettui.planning import settings
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question import conversion
    from fleettui.reports.table import render
    from fleettui.user_paths import config_path

    chosen = settings.settings()
    conversion.parse(settings.question_texts(chosen))
    rows = render(settings.settings_table(chosen), console.width())
    console.tell(as_json, envelope("config show", path=str(config_path()), settings=chosen), rows)


@app.command("path")
def path(as_json: AsJson = False) -> None:
    """Print the configuration file's path, whether or not it is there."""
    from fleettui.reports.plan_json import envelope
    from fleettui.user_paths import config_path

    file = config_path()
    console.tell(as_json, envelope("config path", path=str(file), exists=file.is_file()), str(file))


@app.command("completion")
def completion(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish; your own by default")] = "",
    show: Annotated[bool, typer.Option("--show", help="print the file, and write nothing")] = False,
) -> None:
    """Let the shell complete commands, options, workloads and plans."""
    import os

    from fleettui.planning import shell_completion

    named = shell_completion.shell_of(shell, os.environ)
    console.out(shell_completion.script(named) if show else shell_completion.install_here(named))
