"""The root command: which commands there are, what happens without one, and how every ending is told."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fleettui.cli import refusals
from fleettui.cli.apps import new_app
from fleettui.cli.console import ReaderGone, narrate, out
from fleettui.errors import FleettuiError, Interrupted, UnknownNameError, WorkerError

EPILOG = """\
\b
Start with:
  fleettui plan azure-2023-conv --rate 100/s --slo-ttft 500ms
Exit codes: 0 pass, 1 a bug, 2 bad input, 3 fail, unproven or infeasible,
4 the store, 130 interrupted
"""
COMMANDS: dict[str, tuple[str, str]] = {
    "plan": ("plan", "the cheapest fleet that holds every limit, and why"),
    "simulate": ("simulate", "what a fleet of your own does under a workload"),
    "verify": ("verify", "more proof of a kept plan, by simulation"),
    "show": ("show", "a kept plan, as plan printed it"),
    "list": ("list_plans", "the kept plans, newest first"),
    "jobs": ("jobs", "work that goes on or was cut short: list, cancel, resume"),
    "workload": ("workload", "what arrives: list, show, build"),
    "gpu": ("gpu", "the GPUs to plan with: list, show"),
    "model": ("model", "the models to plan with: list, show"),
    "profile": ("profile", "what one replica does: show, validate"),
    "doctor": ("doctor", "is everything here that the program needs?"),
    "config": ("config", "settings and where they come from: show, path"),
}
"""The module and the help line of each command; a module is imported when its command is called."""
RESUMABLE = frozenset({"plan", "simulate", "verify", "jobs"})


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is Typer's
        """Return the names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return the command; raises UnknownNameError, with the nearest, for a name that is none."""
        if cmd_name not in COMMANDS:
            raise UnknownNameError("command", cmd_name, COMMANDS)
        module = importlib.import_module(f"fleettui.cli.{COMMANDS[cmd_name][0]}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the names with their help lines, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


HELP = "How many of which GPU for LLM inference, what it costs, and whether it will hold."

app = new_app("fleettui")


@app.callback(cls=LazyGroup, invoke_without_command=True, help=HELP, epilog=EPILOG)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="print the version and exit")] = False,
) -> None:
    """Print the version or, where no command is given, the last plan."""
    if version:
        from fleettui.cli.version import program_version

        out(f"fleettui {program_version()}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from fleettui.cli.show import show_last

        show_last()


def main(arguments: Sequence[str]) -> int:
    """Run the command that `arguments` name and return the exit code; nothing is raised."""
    try:
        result = typer.main.get_command(app).main(list(arguments), prog_name="fleettui", standalone_mode=False)
    except (ReaderGone, SystemExit):  # the second is what Typer makes of a pipe that closes while it prints help
        return 0
    except WorkerError as error:
        return refusals.report_bug(error, arguments)
    except FleettuiError as error:
        return refusals.refuse(error)
    except (KeyboardInterrupt, typer.Abort):
        result = Interrupted.exit_code
    except refusals.UsageError as error:
        return refusals.refuse_usage(error, _command(arguments))
    except Exception as error:  # noqa: BLE001 - the program ends here; the report keeps the evidence
        return refusals.report_bug(error, arguments)
    if result == Interrupted.exit_code:
        narrate("fleettui: interrupted; what was finished is kept")
        if RESUMABLE.intersection(arguments[:1]):
            narrate("  do: fleettui jobs lists what can be resumed")
    return result if isinstance(result, int) else 0


def _command(arguments: Sequence[str]) -> str:
    """Return the program with the command that `arguments` begin with, if they do."""
    return " ".join(["fleettui", *(name for name in arguments[:1] if name in COMMANDS)])
