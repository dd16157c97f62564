"""The root command: which commands there are, what happens without one, and how every ending is told."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from fleettui.cli import error_messages
from fleettui.cli.app_launcher import Launch, launcher_of, nowhere
from fleettui.cli.console import ReaderGone, be_in_schema, be_quiet, narrate, out
from fleettui.cli.given_once import GroupGivenOnce
from fleettui.cli.typer_app import new_app
from fleettui.errors import FleettuiError, Interrupted, UnknownNameError, WorkerError
from fleettui.planning.typed_settings import say
from fleettui.planning.use_cases import OWN, command_helps, help_of
from fleettui.visible import check_text

EPILOG = """\
\b
Start with:
  fleettui plan azure-2023-conv --rate 100/s --slo-ttft 500ms
Exit codes: 0 pass, 1 a bug, 2 bad input, 3 fail, unproven or infeasible,
4 the store, 130 interrupted
"""
MODULES: dict[str, str] = {"list": "list_plans", "import": "import_bundle"}
"""The module of a command that is not called like it."""
OWN_COMMANDS = frozenset(case.command for case in OWN)
"""Commands that have a module, which is imported when they are called; the others ask for studies."""
RESUMABLE = frozenset({"plan", "check", "simulate", "verify", "jobs"})


class LazyGroup(GroupGivenOnce):
    """A group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is Typer's
        """Return the names in the order of the help."""
        return list(command_helps())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return the command; raises UnknownNameError, with the nearest, for a name that is none."""
        command = typer.main.get_command(_app_of(cmd_name))
        command.name = cmd_name
        for name, part in getattr(command, "commands", {}).items():
            part.short_help = help_of(f"{cmd_name} {name}")
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the names with their help lines, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl(list(command_helps().items()))


def _app_of(name: str) -> typer.Typer:
    """Return the app of a command: its module's, or one made of what a study declares; raises UnknownNameError."""
    if name in OWN_COMMANDS:
        app: typer.Typer = importlib.import_module(f"fleettui.cli.{MODULES.get(name, name)}").app
        return app
    from fleettui.planning.studies import commands

    if name not in commands():
        raise UnknownNameError("command", name, command_helps(), listing="fleettui --help")
    from fleettui.cli.study_command import app_of

    return app_of(commands()[name])


HELP = "How many of which GPU for LLM inference, what it costs, and whether it will hold."

app = new_app("fleettui")


@app.callback(cls=LazyGroup, invoke_without_command=True, help=HELP, epilog=EPILOG)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="print the version and exit")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="data and refusals alone, no progress")] = False,
    also: Annotated[
        str | None, typer.Option("--also", metavar="FILE", help="read the plans of this published store, too")
    ] = None,
    schema: Annotated[
        int | None,
        typer.Option("--schema", min=1, max=2, metavar="2", help="--json says each thing by one name (default 1)"),
    ] = None,
) -> int:
    """Print the version or, where no command is given, open the app; without a terminal print the last plan."""
    be_quiet(quiet)
    say("also", also)
    be_in_schema(schema)
    if version:
        from fleettui.planning.bug_report import program_version

        out(f"fleettui {program_version()}")
        raise typer.Exit
    if context.invoked_subcommand is not None:
        return 0
    from fleettui.cli.show import show_last
    from fleettui.domain.opening import Opening
    from fleettui.planning import settings

    shown = launcher_of(context)(Opening(), settings.settings())
    return show_last() if isinstance(shown, str) else shown


def main(arguments: Sequence[str], launch: Launch = nowhere) -> int:
    """Run the command that `arguments` name and return the exit code; nothing is raised. `launch` shows the app."""
    try:
        check_text(" ".join(arguments))
        command = typer.main.get_command(app)
        result = command.main(list(arguments), prog_name="fleettui", standalone_mode=False, obj=launch)
    except (ReaderGone, SystemExit):  # the second is what Typer makes of a pipe that closes while it prints help
        return 0
    except WorkerError as error:
        return error_messages.report_bug(error, arguments)
    except FleettuiError as error:
        return error_messages.refuse(error)
    except (KeyboardInterrupt, typer.Abort):
        result = Interrupted.exit_code
    except error_messages.UsageError as error:
        return error_messages.refuse_usage(error, _command(arguments))
    except Exception as error:  # noqa: BLE001 - the program ends here; the report keeps the evidence
        return error_messages.report(error, arguments)
    if result == Interrupted.exit_code:
        from fleettui.planning.studies import commands

        resumable = RESUMABLE.intersection(arguments[:1])
        study = next((commands()[name] for name in arguments[:1] if name in commands()), None)
        lost = "; nothing of it is kept" if study is not None and study.whole else ""
        narrate(f"fleettui: interrupted{'; what was finished is kept' if resumable else lost}")
        if resumable:
            narrate("  do: fleettui jobs lists what can be resumed")
    return result if isinstance(result, int) else 0


def _command(arguments: Sequence[str]) -> str:
    """Return the program with the command that `arguments` begin with, if they do."""
    return " ".join(["fleettui", *(name for name in arguments[:1] if name in command_helps())])
