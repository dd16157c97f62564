"""What the compressor makes of borderline prompts, as a study: the share that compresses, its time, what is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from fleettui.domain.borderline import Band
from fleettui.domain.compression_procedure import Procedure
from fleettui.domain.compression_trial import Trials, Tried
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.domain.wilson import wilson
from fleettui.reports import units

NO_ROOM, ALL = "no room", "all"
REASONS = {
    "code": "code is not cut: what is left would not run",
    "json": "JSON is not cut: what is left would not parse",
    "table": "tables are not cut: rows would be missing",
    "log": "logs are not cut: lines would be missing",
    "fixed parts": "what is always kept is over the budget by itself",
    NO_ROOM: "the output alone reaches the split; no part of the share",
}
SHARES: tuple[tuple[str, Callable[[Tried], float | None]], ...] = (
    ("token reduction", lambda one: 1.0 - one.kept / one.prompt),
    ("ROUGE-L recall", lambda one: one.rouge_recall),
    ("TF-IDF cosine", lambda one: one.cosine),
    ("BERTScore F1", lambda one: one.bertscore),
)
LITTLE = 0.3
"""The share of tokens for whose loss FleetOpt's fidelity is asked."""
FEW = 30
"""Prompts below which an interval is told to be wide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionStory:
    """What was tried and how: `counter` and `judge`, BERTScore's model, in words; `asked` asks for it again."""

    trials: Trials
    procedure: Procedure
    counter: str
    asked: str
    judge: str | None = None
    seed: int = 1

    @property
    def band(self) -> Band:
        """The totals that are borderline."""
        return self.procedure.band

    @property
    def eligible(self) -> list[Tried]:
        """The borderline prompts that have room below the split: those of which the share is taken."""
        return [one for one in self.trials.tried if one.reason != NO_ROOM]

    @property
    def done(self) -> list[Tried]:
        """The prompts that were compressed."""
        return [one for one in self.eligible if not one.reason]

    def study(self) -> Study:
        """Return the study, not kept yet."""
        tables = [self._band(), self._categories(), self._reasons(), *self._of_compressed(), self._skipped()]
        return Study(
            kind="compress",
            title=f"Prompts of {units.count(self.band.split + 1)} to {units.count(self.band.up_to)} tokens, compressed",
            question=self.asked,
            seed=self.seed,
            sentences=tuple(self._sentences()),
            tables=tuple(table for table in tables if table.rows),
            warnings=tuple(self._warnings()),
        )

    def _sentences(self) -> Iterator[str]:
        split = units.count(self.band.split)
        if not self.eligible:
            yield f"no prompt is borderline with room below the split of {split} tokens, so no share is measured"
        else:
            low, high = wilson(len(self.done), len(self.eligible))
            share = len(self.done) / len(self.eligible)
            yield (
                f"p_c, the share that compresses, is {share:.1%} ({low:.1%} to {high:.1%}, 95 % by Wilson): "
                f"{units.count(len(self.done))} of {units.count(len(self.eligible))} borderline prompts fit below the "
                f"split of {split} tokens"
            )
        if self.done:
            yield self._time()
            yield " ".join(self._kept())
            yield self._bertscore()
        yield f"tokens are counted by {self.counter}; no text is kept, the lines' digest is {self.trials.digest[:16]}"

    def _time(self) -> str:
        seconds = sorted(one.seconds for one in self.done)
        p50, p95, p99 = (units.seconds(_at(seconds, share)) for share in (0.5, 0.95, 0.99))
        told = f"compressing takes {p50} (p50), {p95} (p95) and {p99} (p99) of one core of this machine"
        asked = self.trials.short + self.trials.beyond + len(self.trials.tried)
        if asked == len(self.trials.tried):
            return told
        each = sum(one.seconds for one in self.eligible) / asked
        return f"{told}; over all {units.count(asked)} prompts that is {units.seconds(each)} each"

    def _kept(self) -> Iterator[str]:
        cut, recall, cosine = (_mean(_known(self.done, of)) for _, of in SHARES[:3])
        yield (
            f"a compressed prompt loses {units.percent(cut)} of its tokens on average; ROUGE-L recall is {recall:.3f}, "
            f"the cosine of TF-IDF vectors {cosine:.3f}"
        )
        little = [one for one in self.done if 1.0 - one.kept / one.prompt <= LITTLE]
        if 0 < len(little) < len(self.done):
            recall, cosine = (_mean(_known(little, of)) for _, of in SHARES[1:3])
            yield (
                f"({recall:.3f} and {cosine:.3f} for the {units.count(len(little))} that lose at most "
                f"{units.percent(LITTLE)})"
            )

    def _bertscore(self) -> str:
        found = _known(self.done, SHARES[3][1])
        if self.judge is None:
            return (
                "BERTScore is absent: no model was named; --bertscore roberta-large takes one that is on disk, in a "
                "folder or in the hub's cache, of which it needs config.json, model.safetensors and tokenizer.json"
            )
        if not found:
            return f"BERTScore by {self.judge} is absent: of so few prompts none is scored; --scored 100% scores all"
        return (
            f"BERTScore F1 by {self.judge} is {_mean(found):.3f} over {units.count(len(found))} compressed prompts, "
            "not rescaled, in windows of the model's length"
        )

    def _warnings(self) -> Iterator[str]:
        if 0 < len(self.eligible) < FEW:
            count = len(self.eligible)
            are = "prompt is" if count == 1 else "prompts are"
            yield f"{count} borderline {are} few: the interval of p_c is wide"
        skipped = sum(self.trials.skipped.values())
        if skipped:
            told = ", ".join(f"{units.count(count)} {why}" for why, count in sorted(self.trials.skipped.items()))
            yield f"{units.count(skipped)} {'line was' if skipped == 1 else 'lines were'} left out: {told}"
        if "margin" in self.counter and self.done:
            yield (
                "tokens are estimated from bytes, and the estimate's margin is cut from every prompt beside what must "
                "go; --tokenizer tokenizer.json of the model counts them and cuts less"
            )

    def _band(self) -> StudyTable:
        ends = wilson(len(self.done), len(self.eligible)) if self.eligible else (None, None)
        seconds = sorted(one.seconds for one in self.done)
        return table_of(
            "the band and its share",
            [self.trials],
            ("split", "tokens", lambda _: self.band.split),
            ("up_to", "tokens", lambda _: self.band.up_to),
            ("gamma", "number", lambda _: self.band.gamma),
            ("short", "count", lambda one: one.short),
            ("borderline", "count", lambda one: len(one.tried)),
            ("beyond", "count", lambda one: one.beyond),
            ("p_c", "share", lambda _: len(self.done) / len(self.eligible) if self.eligible else None),
            ("low", "share", lambda _: ends[0]),
            ("high", "share", lambda _: ends[1]),
            ("p50", "seconds", lambda _: _at(seconds, 0.5) if seconds else None),
            ("p99", "seconds", lambda _: _at(seconds, 0.99) if seconds else None),
            ("mean", "seconds", lambda _: _mean([one.seconds for one in self.eligible]) if self.eligible else None),
            note="borderline: prompt and output together are above the split, up to gamma times it; p_c is of those "
            "whose output leaves room below the split, as the planner takes it; its interval is Wilson's; the times "
            "are of one core, the mean with those that stay whole",
        )

    def _categories(self) -> StudyTable:
        by_name: dict[str, list[Tried]] = {}
        for one in self.eligible:
            by_name.setdefault(one.category, []).append(one)
        rows = [(name, own, sum(not one.reason for one in own)) for name, own in sorted(by_name.items())]
        return table_of(
            "borderline prompts by what they are",
            rows,
            ("category", "text", lambda row: row[0]),
            ("prompts", "count", lambda row: len(row[1])),
            ("compressed", "count", lambda row: row[2]),
            ("p_c", "share", lambda row: row[2] / len(row[1])),
            ("low", "share", lambda row: wilson(row[2], len(row[1]))[0]),
            ("high", "share", lambda row: wilson(row[2], len(row[1]))[1]),
        )

    def _reasons(self) -> StudyTable:
        counts = Counter(one.reason for one in self.trials.tried if one.reason)
        return table_of(
            "why prompts stay whole",
            counts.most_common(),
            ("reason", "text", lambda row: row[0]),
            ("prompts", "count", lambda row: row[1]),
            ("because", "text", lambda row: REASONS[row[0]]),
        )

    def _of_compressed(self) -> Iterator[StudyTable]:
        groups = [(ALL, self.done)] if self.done else []
        for name in sorted({one.category for one in self.done}):
            groups.append((name, [one for one in self.done if one.category == name]))
        times = [(name, sorted(one.seconds for one in own), own) for name, own in groups]
        yield table_of(
            "what compressing takes",
            times,
            ("category", "text", lambda row: row[0]),
            ("prompt_tokens", "tokens", lambda row: round(_mean([one.prompt for one in row[2]]))),
            ("p50", "seconds", lambda row: _at(row[1], 0.5)),
            ("p95", "seconds", lambda row: _at(row[1], 0.95)),
            ("p99", "seconds", lambda row: _at(row[1], 0.99)),
            note="processor time of one core; FleetOpt's Table 4 prints 3.4, 6.2 and 7.8 ms at a split of 8,192",
        )
        figures = [(name, what, sorted(_known(own, of))) for name, own in groups for what, of in SHARES]
        figures = [row for row in figures if row[2]]
        yield table_of(
            "what is kept",
            figures,
            ("category", "text", lambda row: row[0]),
            ("figure", "text", lambda row: row[1]),
            ("mean", "share", lambda row: _mean(row[2])),
            ("p10", "share", lambda row: _at(row[2], 0.1)),
            ("p50", "share", lambda row: _at(row[2], 0.5)),
            ("p90", "share", lambda row: _at(row[2], 0.9)),
            note="of compressed prompts against the whole ones; what is left stands in its old order, so that ROUGE-L "
            "recall is the share of words that stay",
        )

    def _skipped(self) -> StudyTable:
        return table_of(
            "lines left out",
            sorted(self.trials.skipped.items()),
            ("because", "text", lambda row: row[0]),
            ("lines", "count", lambda row: row[1]),
        )


def _known(tried: Sequence[Tried], of: Callable[[Tried], float | None]) -> list[float]:
    """Return a figure of each trial that has it."""
    return [value for one in tried if (value := of(one)) is not None]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _at(ordered: Sequence[float], share: float) -> float:
    """Return the least of ordered values that `share` of them do not exceed."""
    return ordered[max(ceil(share * len(ordered)) - 1, 0)]
