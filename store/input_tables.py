"""The tables of what plans are made from: each row is keyed by the SHA-256 of its canonical JSON, which is `body`."""

from __future__ import annotations

from sqlalchemy import TEXT, CheckConstraint
from sqlmodel import Field, SQLModel

STRICT = {"sqlite_strict": True}


class Row(SQLModel):
    """What every table's rows are. None is checked as it is made, so that nothing is made ready to check one."""

    model_config = {"defer_build": True}


def _digest_table(name: str) -> tuple[CheckConstraint, CheckConstraint, dict[str, bool]]:
    return (
        CheckConstraint("length(digest) = 64", name=f"{name}_digest_is_sha256"),
        CheckConstraint("json_valid(body)", name=f"{name}_body_is_json"),
        STRICT,
    )


class Workload(Row, table=True):
    """Demand: its lengths and arrivals."""

    __table_args__ = _digest_table("workload")
    digest: str = Field(sa_type=TEXT, primary_key=True)
    name: str = Field(sa_type=TEXT)
    body: str = Field(sa_type=TEXT)


class Profile(Row, table=True):
    """One replica of a model on GPUs of one kind."""

    __table_args__ = _digest_table("profile")
    digest: str = Field(sa_type=TEXT, primary_key=True)
    gpu: str = Field(sa_type=TEXT)
    model: str = Field(sa_type=TEXT)
    body: str = Field(sa_type=TEXT)


class Scenario(Row, table=True):
    """A question with its inputs pinned; the question's name is left empty, being outside the digest."""

    __table_args__ = _digest_table("scenario")
    digest: str = Field(sa_type=TEXT, primary_key=True)
    workload: str = Field(sa_type=TEXT, foreign_key="workload.digest")
    body: str = Field(sa_type=TEXT)


class Provenance(Row, table=True):
    """What made a plan."""

    __table_args__ = _digest_table("provenance")
    digest: str = Field(sa_type=TEXT, primary_key=True)
    body: str = Field(sa_type=TEXT)
