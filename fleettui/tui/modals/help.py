"""The help of a view: what it answers, every key that means something in it, to be done from here, and a glossary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fleettui.domain.limit import METRICS
from fleettui.reports.table import wrap
from fleettui.tui import keys, tabs
from fleettui.tui.keys import Shortcut
from fleettui.tui.modals.finder import Finder
from fleettui.tui.row_words import has_words

MOVES = (
    ("j k", "move, as the arrows do; g G first and last, ctrl+d ctrl+u half a page"),
    ("enter", "open what is under the cursor"),
    ("tab", "the next pane"),
    ("mouse", "never needed: tabs and keys can be clicked; shift while dragging selects text"),
)
GLOSSARY = (
    ("PASS", "the whole 95 % interval keeps every limit"),
    ("NOT PROVEN", "the interval reaches both sides of a limit: v adds runs"),
    ("NOT PROVEN YET", "the work on it goes on; 'so far' says what holds already"),
    ("at nominal speed", "a pass of which one is less than 80 % sure"),
    ("sure", "in what share of what step times may be, within the model's error, a fleet holds; so of typed ranges"),
    ("formula ~", "what only the formula gives; simulated figures have no ~"),
    ("busy", "the share of the time in which a pool's engines work at their capacity"),
    ("MFU", "the share of the GPUs' arithmetic peak that is used"),
    ("left", "what remains of the tightest limit, from the interval's upper end"),
    ("limited by", "what keeps a pool from being smaller; one replica: it is the least there is"),
    ("tp", "tensor parallel: over how many GPUs each layer of a replica is divided"),
    ("pp", "pipeline parallel: how many stages a replica's layers are divided into"),
    ("replica", "one copy of the model that serves requests, on tp times pp GPUs"),
    ("pool", "replicas that are alike; a router gives each its requests"),
    ("split", "the total tokens up to which requests go to a pool of shorter ones"),
    *((metric.label, metric.help) for metric in METRICS),
    ("P50, P90, P99", "the value that 50, 90 or 99 of 100 requests stay within; limits hold at P99 unless typed"),
    ("SLO", "the limits that are to hold, each at a percentile of the requests"),
    ("joint", "which prompt came with which output is known"),
    ("F(4,096)", "the share of requests up to 4,096 tokens"),
    ("prefix hit", "the share of prompt tokens found in the cache, which cost no prefill"),
    ("headroom", "how much more than the demand the fleet is to hold"),
    ("dispersion", "how bursty arrivals are: variance over mean of counts; Poisson has 1"),
)
"""Words of the screen, and what they mean."""


@dataclass(frozen=True, slots=True)
class Told:
    """One row of the help: a key or a word with what it means, and the key's verb where it can be done from here."""

    name: str
    words: str
    verb: str = ""


class Help(Finder):
    """Shows every key of a view and the glossary; enter does the key under the cursor."""

    DEFAULT_CSS = """
    Help {
        #finder { height: 1fr; border: ascii $primary; }
        #finder-scroll { height: 1fr; }
    }
    """
    PLACEHOLDER = "type to find a key or a word"
    OTHERS = "up down move  esc back"
    SIDES = Finder.SIDES + len("||")

    def __init__(self, entry: tabs.Entry, do: Callable[[str], object]) -> None:
        super().__init__(title=f"{entry.label}: {entry.answers}")
        self._do, self._told = do, {one.name: one for one in told(entry)}

    def rows(self, typed: str) -> Mapping[str, str]:
        """Return the rows that have the words, the keys before the glossary."""
        width = max(len(name) for name in self._told)
        return {
            one.name: "\n".join(wrap(one.words, self.room, f"{one.name:<{width}}  "))
            for one in self._told.values()
            if has_words((one.name, one.words), typed)
        }

    def does(self, name: str) -> str:
        """Say which key enter presses, where the row is one."""
        if not name:
            return "no key or word like that; esc : finds commands"
        return f"enter does {name}" if self._told[name].verb else "enter leaves"

    def take(self, name: str) -> None:
        """Leave, and do the key."""
        self.dismiss(None)
        if verb := self._told[name].verb:
            self._do(verb)


def told(entry: tabs.Entry) -> Iterator[Told]:
    """Yield what the help of a view says: its keys, the moves, the views, and the words."""
    for key in keys.keys_of(entry.name):
        yield Told(key.shown, key.help, key.verb)
    for name, words in MOVES:
        yield Told(name, words)
    for key in _views():
        yield Told(key.shown, key.help, key.verb)
    for name, words in GLOSSARY:
        yield Told(name, words)


def _views() -> Iterator[Shortcut]:
    return (key for key in keys.VIEW_KEYS if key.keys)
