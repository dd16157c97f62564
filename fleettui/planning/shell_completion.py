"""Completion of commands, options, workloads and plans by a shell: one file, where the shell looks for it itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from fleettui.errors import InputError
from fleettui.planning import workloads
from fleettui.planning.use_cases import command_helps, use_cases
from fleettui.user_paths import path_of

BASH = """\
# Completion of fleettui; bash reads it from here by itself where bash-completion is installed.
_fleettui() {
  local cur=${COMP_WORDS[COMP_CWORD]} first=${COMP_WORDS[1]} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="%(commands)s"
  elif [[ $cur == -* ]]; then
    case $first in
      %(groups)s) words=$(fleettui "$first" "${COMP_WORDS[2]}" --help 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*') ;;
      *) words=$(fleettui "$first" --help 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*') ;;
    esac
  else
    case $first in
%(parts)s
    esac
    case $first:$COMP_CWORD in
      plan:*|open:*|whatif:*|workload:[3-9]) words="%(workloads)s" ;;
    esac
    case $first in
      %(of_plans)s) words="$words last $(fleettui list --limit 50 2>/dev/null | awk '/^[0-9a-f]+ / {print $1}')" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
}
complete -o filenames -F _fleettui fleettui
"""
ZSH = """\
#compdef fleettui
autoload -Uz bashcompinit && bashcompinit
%(bash)s
"""
FISH = """\
# Completion of fleettui; fish reads it from here by itself.
complete -c fleettui -n __fish_use_subcommand -a "%(commands)s"
%(parts)s
complete -c fleettui -n "__fish_seen_subcommand_from plan open whatif" -a "%(workloads)s"
"""
OF_PLANS = (
    *("show", "verify", "rerun", "compare", "diff", "report", "export", "note", "tag", "name", "archive", "open"),
    *("why", "whatif"),
)
"""Commands that take a plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """A shell: the variable and the folder under home that hold what a user adds, and the file's place in there."""

    variable: str
    folder: str
    file: str
    hint: str = ""


SHELLS: Mapping[str, Shell] = {
    "bash": Shell(
        variable="XDG_DATA_HOME",
        folder=".local/share",
        file="bash-completion/completions/fleettui",
        hint="a new shell completes fleettui, if bash-completion is installed; else source the file in ~/.bashrc",
    ),
    "zsh": Shell(
        variable="XDG_DATA_HOME",
        folder=".local/share",
        file="zsh/site-functions/_fleettui",
        hint="put fpath+=({folder}) before compinit in ~/.zshrc; a new shell then completes fleettui",
    ),
    "fish": Shell(
        variable="XDG_CONFIG_HOME",
        folder=".config",
        file="fish/completions/fleettui.fish",
        hint="a new shell completes fleettui",
    ),
}


def shell_of(named: str, environment: Mapping[str, str]) -> str:
    """Return a shell by its name, where that is empty the one that the user has; raises InputError for another."""
    name = named or PurePath(environment.get("SHELL", "")).name
    if name not in SHELLS:
        raise InputError("completion is not known of this shell", value=name or None, accepted=", ".join(SHELLS))
    return name


def script(shell: str) -> str:
    """Return the text of the file for a shell."""
    parts: dict[str, list[str]] = {}
    for case in use_cases():
        command, _, part = case.name.partition(" ")
        if part:
            parts.setdefault(command, []).append(part)
    said = {
        "commands": " ".join(command_helps()),
        "workloads": " ".join(workloads.names()),
        "groups": "|".join(parts),
        "of_plans": "|".join(OF_PLANS),
    }
    if shell == "fish":
        begin = 'complete -c fleettui -n "__fish_seen_subcommand_from'
        rows = [f'{begin} {one}" -a "{" ".join(of)}"' for one, of in parts.items()]
        return FISH % {**said, "parts": "\n".join(rows)}
    rows = [f'      {one}) [ "$COMP_CWORD" -eq 2 ] && words="{" ".join(of)}" ;;' for one, of in parts.items()]
    bash = BASH % {**said, "parts": "\n".join(rows)}
    return bash if shell == "bash" else ZSH % {"bash": bash}


def install(shell: str, environment: Mapping[str, str]) -> tuple[Path, str]:
    """Write the file for a shell, whatever stood there, and return its path and what is still to be done.

    Raises InputError where it cannot be written.
    """
    known = SHELLS[shell]
    base = environment.get(known.variable) or str(path_of("~") / known.folder)
    file = path_of(base) / known.file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(script(shell), "utf-8")
    except OSError as error:
        raise InputError(f"this file cannot be written: {error.strerror}", value=str(file)) from None
    return file, known.hint.format(folder=file.parent)


def install_here(named: str = "") -> str:
    """Install completion for the shell that is named, or the user's own, and return what was done, in two lines."""
    file, hint = install(shell_of(named, os.environ), os.environ)
    return f"written: {file}\n{hint}"
