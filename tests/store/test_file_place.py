"""Where the store lies, by default and by mount."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleettui.errors import StoreError
from store import Store, file_place
from store.peek import peek

TABLE = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/ann/local\\040disk xfs rw 0 0
fuse /mnt/far fuse.sshfs rw 0 0
short line
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/var/lib/x.db", ("/", "ext4")),
        ("/home/bob/x.db", ("/home", "nfs4")),
        ("/homes/bob/x.db", ("/", "ext4")),
        ("/home/ann/local disk/x.db", ("/home/ann/local disk", "xfs")),
        ("/mnt/far/x.db", ("/mnt/far", "fuse.sshfs")),
    ],
)
def test_the_longest_mount_point_holds_a_path(tmp_path: Path, path: str, expected: tuple[str, str]) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(TABLE)
    assert file_place.mount_of(Path(path), mounts) == expected


def test_without_a_table_nothing_is_known(tmp_path: Path) -> None:
    assert file_place.mount_of(tmp_path, tmp_path / "none") == ("", "")
    file_place.check_file_system(tmp_path, tmp_path / "none")


def test_the_default_is_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FLEETTUI_DB")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert file_place.default_path().name == "fleettui.db"
    assert file_place.default_path().parent.name == "fleettui"


def test_the_environment_may_use_the_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_DB", "~/plans.db")
    assert file_place.default_path() == Path.home() / "plans.db"


@pytest.mark.parametrize("name", ["~nobody-x/plans.db", "x" * 300])
def test_a_path_that_no_file_can_have_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_DB", name)
    for path in (None, Path(name)):
        with pytest.raises(StoreError, match=r"cannot be opened: .*\n  do: set FLEETTUI_DB"):
            Store.open(path)
        assert peek(path) is None


def test_a_link_in_a_folder_that_everybody_may_write_is_not_followed(tmp_path: Path) -> None:
    """Anybody may have put it there, and its empty target became a store (found 31)."""
    shared, target = tmp_path / "shared", tmp_path / "mine.db"
    shared.mkdir()
    link = shared / "plans.db"
    target.touch()
    link.symlink_to(target)
    assert file_place.located(link) == target.resolve()
    shared.chmod(0o1777)
    with pytest.raises(StoreError, match="a symbolic link in a folder that everybody may write"):
        file_place.located(link)
    assert target.stat().st_size == 0
    (shared / "way").symlink_to(target.parent)
    with pytest.raises(StoreError, match="a symbolic link in a folder that everybody may write"):
        file_place.located(shared / "way" / target.name)
    link.unlink()
    assert file_place.located(link) == link.resolve(), "a file that is none yet, or no link, may lie there"
