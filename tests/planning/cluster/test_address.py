"""What `--cluster` accepts."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning.cluster import address
from fleettui.planning.cluster.address import read_cluster


def test_schedulers_certificates_and_workers_here(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.touch()
    found = read_cluster(f"tls://head-1.example:8786,ca={ca}")
    assert (found.scheduler, found.files) == ("tls://head-1.example:8786", (("ca", str(ca)),))
    assert read_cluster("tcp://[::1]:8786").scheduler == "tcp://[::1]:8786"
    assert read_cluster("local:4").local == 4


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("local:0", "so many"),
        ("local:9999", "so many"),
        ("host:8786", "no address"),
        ("http://host:8786", "no address"),
        ("tcp://host", "no address"),
        ("tls://host:8786,ca=none.pem", "no such file"),
        ("tls://host:8786,password=x", "not the files of TLS"),
        ("tcp://host:8786,ca=ca.pem", "only tls://"),
    ],
)
def test_others_are_refused_with_what_is_accepted(text: str, why: str) -> None:
    with pytest.raises(InputError, match=rf"(?s)--cluster: .*{why}.*accepted: .*local:"):
        read_cluster(text)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"(?s)needs the extra cluster.*pip install 'fleettui\[cluster\]'"):
        read_cluster("local:4")
