"""Where the store's file lies, who may read it, and whether that place is fit for it. Standard library only."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

from fleettui.errors import StoreError

VARIABLE = "FLEETTUI_DB"
FILE_NAME = "fleettui.db"
OLDEST_SQLITE = (3, 37, 0)
MAGIC = b"SQLite format 3\x00"
MOUNTS = Path("/proc/self/mounts")
NETWORK_FILE_SYSTEMS = frozenset(
    {
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "fuse.ceph",
        "fuse.glusterfs",
        "fuse.sshfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "orangefs",
        "smb2",
        "smb3",
        "smbfs",
    }
)


def default_path() -> Path:
    """Return the file named by FLEETTUI_DB, or fleettui.db in the user's data folder."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    import platformdirs

    return platformdirs.user_data_path("fleettui") / FILE_NAME


def located(path: Path | None) -> Path:
    """Return the full path of a store, of the default one for None; raises StoreError for what no file can have.

    A symbolic link in a folder that everybody may write is not followed: anybody may have put it there.
    """
    try:
        named = (default_path() if path is None else path).expanduser()
        _check_link(named)
        file = named.resolve()
        file.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoreError(
            f"the store {path or os.environ.get(VARIABLE)} cannot be opened: {reason}\n"
            f"  do: set {VARIABLE} to a file in a folder that you may write"
        ) from error
    return file


def _check_link(path: Path) -> None:
    """Raise StoreError for a symbolic link, the file's or one on the way, in a folder that everybody may write."""
    whole = path.absolute()
    if any(one.is_symlink() and one.parent.stat().st_mode & stat.S_IWOTH for one in (whole, *whole.parents)):
        raise StoreError(
            f"the store {path} is, or lies behind, a symbolic link in a folder that everybody may write\n"
            f"  do: set {VARIABLE} to the file itself, or to one in a folder of your own; nothing was changed"
        )


def check_sqlite(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Raise StoreError unless SQLite has STRICT tables (3.37, November 2021)."""
    if version < OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {'.'.join(map(str, version))} is too old for the store\n"
            f"  accepted: SQLite {'.'.join(map(str, OLDEST_SQLITE))} or newer\n"
            "  do: use a Python whose sqlite3 module is newer, such as one installed by uv or conda"
        )


def create(path: Path) -> None:
    """Make the file (mode 0600) and the folder it needs (mode 0700), whatever the umask; what exists is kept.

    An existing file of ours that others may read is closed to them. Raises StoreError when it cannot be made.
    """
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, mode=0o700)
            path.parent.chmod(0o700)
        _create_file(path)
    except OSError as error:
        raise StoreError(
            f"the store {path} cannot be made: {error.strerror}\n"
            f"  do: set {VARIABLE} to a file in a folder that you may write"
        ) from error


def _create_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise StoreError(
                f"the store {path} is no file but a folder or device\n"
                f"  do: set {VARIABLE} to a file; nothing was changed"
            ) from None
        if status.st_mode & 0o077 and status.st_uid == os.geteuid() and is_writable(path):
            path.chmod(0o600)


def is_writable(path: Path) -> bool:
    """Tell whether file and folder may be written: by permission, and with a write bit, which root respects here."""
    return all(os.access(part, os.W_OK) and part.stat().st_mode & 0o222 for part in (path, path.parent))


def check_content(path: Path) -> None:
    """Raise StoreError unless the file is there, and is empty or begins as SQLite files do."""
    head = _head(path)
    if head and not head.startswith(MAGIC):
        raise StoreError(
            f"{path} is not a database\n  do: move it away, or set {VARIABLE} to another file; nothing was changed"
        )


def uses_wal(path: Path) -> bool:
    """Tell whether the file is in write-ahead mode (byte 18 of the header is 2)."""
    head = _head(path)
    return len(head) > 18 and head[18] == 2


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(100)
    except FileNotFoundError as error:
        raise StoreError(f"there is no store at {path}\n  do: fleettui plan makes one; or set {VARIABLE}") from error
    except OSError as error:
        raise StoreError(f"the store {path} cannot be read: {error.strerror}\n  do: set {VARIABLE}") from error


def check_file_system(path: Path, mounts: Path | None = None) -> None:
    """Raise StoreError when `path` lies on a network file system, where write-ahead mode loses data.

    Known by the type of the longest mount point above `path` in `mounts` (MOUNTS, which only Linux has).
    """
    point, kind = mount_of(path, mounts or MOUNTS)
    if kind in NETWORK_FILE_SYSTEMS:
        raise StoreError(
            f"the store {path} lies on a network file system ({kind} at {point}): its write-ahead log needs memory "
            "shared by all programs, which machines do not share\n"
            f"  do: set {VARIABLE} to a file on a local disk; "
            "fleettui publish and export --bundle hand plans over"
        )


def mount_of(path: Path, mounts: Path) -> tuple[str, str]:
    """Return the mount point that holds `path` and its file system's type; ("", "") when it is not known."""
    if not mounts.exists():
        return "", ""
    best = ("", "")
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        if len(point) >= len(best[0]) and path.is_relative_to(point):
            best = (point, fields[2])
    return best
