"""Where a cluster is, as `--cluster` says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TypeAlias

from fleettui.errors import InputError
from fleettui.user_paths import path_of

WHERE = "--cluster"
ACCEPTED = "tcp://host:8786, tls://host:8786,ca=ca.pem,cert=me.pem,key=me.key or, to try it here, local:4"
MOST_LOCAL = 64
"""Workers of a cluster on this machine, at most."""
TLS_FILES = ("ca", "cert", "key")
Files: TypeAlias = tuple[tuple[str, str], ...]
"""The files of TLS, or their texts, by these names."""
_LOCAL = re.compile(r"local:([0-9]{1,4})")
_SCHEDULER = re.compile(r"(?:tcp|tls)://(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A scheduler's address, or so many `local` workers (0: none); `files` are those of TLS, by their names.

    `text` is what was typed, by which another process finds the same cluster.
    """

    text: str
    scheduler: str = ""
    local: int = 0
    files: Files = ()


def read_cluster(text: str, where: str = WHERE) -> Cluster:
    """Return the cluster that `text` names; raises InputError, and where Dask is not installed.

    >>> read_cluster("local:4").local
    4
    >>> read_cluster("tcp://10.0.0.1:8786").files
    ()
    """
    if find_spec("distributed") is None:
        remedy = "pip install 'fleettui[cluster]'"
        raise InputError("this needs the extra cluster, which is not installed", where=where, value=text, remedy=remedy)
    if local := _LOCAL.fullmatch(text):
        if not 1 <= int(local[1]) <= MOST_LOCAL:
            raise InputError("so many workers are not started here", where=where, value=text, accepted=_some_here())
        return Cluster(text=text, local=int(local[1]))
    scheduler, *given = text.split(",")
    if not _SCHEDULER.fullmatch(scheduler):
        raise InputError("this is no address of a scheduler", where=where, value=text, accepted=ACCEPTED)
    files = dict(one.partition("=")[::2] for one in given)
    if unknown := [one for one in files if one not in TLS_FILES] or len(files) < len(given):
        raise InputError("these are not the files of TLS", where=where, value=unknown or text, accepted=ACCEPTED)
    if files and not scheduler.startswith("tls:"):
        raise InputError("only tls:// has certificates", where=where, value=text, accepted=ACCEPTED)
    for path in files.values():
        if not path_of(path, where).is_file():
            raise InputError("there is no such file", where=where, value=path, accepted=ACCEPTED)
    return Cluster(text=text, scheduler=scheduler, files=tuple(files.items()))


def _some_here() -> str:
    return f"local:1 to local:{MOST_LOCAL}"
