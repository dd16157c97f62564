"""The way to a plan's pools: a route, the pods that may answer, and how an endpoint picker chooses among them.

The endpoint picker is llm-d's: its plugin context-length-aware keeps the pods whose label names a range of prompts that
holds the request's; what it scores those by is the plan's router.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fleettui.reports import units
from fleettui.reports.handoff import texts
from fleettui.reports.handoff.lengths import PromptRange, prompt_ranges
from fleettui.reports.handoff.model import POOL, PoolPlan, Subject
from fleettui.reports.handoff.objects import answerers, metadata, of_plan
from fleettui.reports.handoff.servers.server import PORT
from fleettui.reports.handoff.texts import Document
from fleettui.routing import ROUTERS

PICKER_PORT = 9002
"""On which an endpoint picker answers by default."""
GATEWAY, PICKER = "replace-gateway", "replace-endpoint-picker"
CONFIG = "endpoint-picker.yaml"
RANGE = "llm-d.ai/context-length-range"
"""The label of a pod that says which prompts it takes, both ends within; the plugin's own default."""
FEWEST = "active-request-scorer"


class Choice(NamedTuple):
    """How llm-d's endpoint picker does what a router does: scorers with their weights, its picker, and how near."""

    scorers: tuple[tuple[str, int], ...]
    picker: str = "max-score-picker"
    near: str = ""


STANDS_IN = "llm-d has none such: fewest requests stands in"
CHOICES: Mapping[str, Choice] = {
    "length": Choice(((FEWEST, 1),)),
    "least-loaded": Choice(((FEWEST, 1),)),
    "prefix-aware": Choice((("prefix-cache-scorer", 3), ("queue-scorer", 2), ("kv-cache-utilization-scorer", 2))),
    "spillover": Choice(
        (("context-length-aware", 1), ("queue-scorer", 1)),
        near="llm-d weighs how well the length fits against the queue; the plan goes on where 5 wait",
    ),
    "kv-use": Choice((("kv-cache-utilization-scorer", 1),)),
    "random": Choice((), picker="random-picker"),
}
"""By the names of the routers; of another fewest requests stand in."""


def choice_of(subject: Subject) -> Choice:
    """Return what does what the plan's router does."""
    return CHOICES.get(subject.fleet.router, Choice(((FEWEST, 1),), near=STANDS_IN))


def ranges(subject: Subject) -> tuple[PromptRange, ...]:
    """Return the prompts that go to each pool; none for one pool, and where the plan does not know them."""
    pools = tuple(one.pool for one in subject.pools)
    return prompt_ranges(subject.kept.workload, pools) if len(pools) > 1 else ()


def label(subject: Subject, part: PoolPlan) -> dict[str, str]:
    """Return the label by which the pods of a pool are found by a request's length; nothing where none is.

    A router that may send a request on to a longer pool has them take all that is shorter, too.
    """
    found = ranges(subject)
    if not found:
        return {}
    own = found[subject.pools.index(part)]
    least = 0 if ROUTERS.named(subject.fleet.router).across is not None else own.least
    return {RANGE: f"{least}-{own.most}"}


def told(subject: Subject) -> Iterator[str]:
    """Yield what is said of the router: how requests find their pool, and what the gateway cannot know."""
    router, found = subject.fleet.router, ranges(subject)
    if len(subject.pools) == 1:
        yield f"router {router}: the gateway's name is not known here, nor its endpoint picker's"
        return
    if not found:
        yield (
            "no route is written: a gateway knows the prompt alone, and this plan tells of no range of prompts that "
            f"99% of come out short enough for their pool, so the way is yours: {_totals(subject)}; inside a pool "
            f"router {router}"
        )
        return
    yield (
        f"router {router}: pools are divided by prompt and output together ({_totals(subject)}), of which a gateway "
        f"knows the prompt alone; the label {RANGE} names the prompts of each pool"
    )
    for part, own in zip(subject.pools, found, strict=True):
        yield (
            f"pool {part.slug}: prompts of {units.count(own.least)} to {units.count(own.most)} tokens; "
            f"{units.percent(own.elsewhere)} of its requests as planned go to another pool so, and "
            f"{units.percent(own.too_long)} of those that come turn out longer than it takes: bound their max_tokens"
        )


def _totals(subject: Subject) -> str:
    return "; ".join(
        f"{units.count(one.pool.above + 1)} to {units.count(one.pool.up_to)} tokens to {subject.name(one)}"
        for one in subject.pools
    )


def documents(subject: Subject) -> Iterator[Document]:
    """Yield the route, and before it what an endpoint picker needs, where one is asked: not to balance one pool."""
    choice, several = choice_of(subject), len(subject.pools) > 1
    if several and not ranges(subject):
        return
    by_picker = several or bool(choice.scorers and not choice.near)
    whole = _whole(subject)
    backend: dict[str, Any] = {"name": whole["name"], "port": PORT}
    if by_picker:
        backend = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": whole["name"]}
        yield _config(subject)
        yield _pool(subject, whole)
    reasons = () if by_picker else (f"the plan's router is {subject.fleet.router}: set the gateway to balance so",)
    yield Document(
        reasons,
        {
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "HTTPRoute",
            "metadata": whole,
            "spec": {
                "parentRefs": [{"name": GATEWAY}],
                "rules": [
                    {"matches": [{"path": {"type": "PathPrefix", "value": "/v1"}}], "backendRefs": [backend]},
                ],
            },
        },
    )


def _whole(subject: Subject) -> dict[str, Any]:
    """Return the metadata of what stands for all pools: that of the pool itself where there is one."""
    return metadata(subject, subject.pools[0]) if len(subject.pools) == 1 else of_plan(subject)


def _pool(subject: Subject, whole: dict[str, Any]) -> Document:
    labels = answerers(subject, subject.pools[0])
    if len(subject.pools) > 1:
        labels = {name: value for name, value in labels.items() if name != POOL}
    return Document(
        (f"the pods among which the endpoint picker chooses for router {subject.fleet.router}",),
        {
            "apiVersion": "inference.networking.k8s.io/v1",
            "kind": "InferencePool",
            "metadata": whole,
            "spec": {
                "selector": {"matchLabels": labels},
                "targetPorts": [{"number": PORT}],
                "endpointPickerRef": {"name": PICKER, "port": {"number": PICKER_PORT}},
            },
        },
    )


def _config(subject: Subject) -> Document:
    """Return the endpoint picker's settings, as the file that it is started with."""
    choice = choice_of(subject)
    reasons = ["settings of llm-d's endpoint picker, its plugins as documented in 2026: start it with --config-file"]
    reasons += [f"router {subject.fleet.router}: {choice.near}"] * bool(choice.near)
    if len(subject.pools) > 1:
        reasons.append(
            "it takes 4 bytes for a token unless it has the model's tokenizer, so it errs near a range's end"
        )
    whole = of_plan(subject)
    return Document(
        reasons,
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {**whole, "name": f"{whole['name']}-endpoint-picker"},
            "data": {CONFIG: texts.dumped(settings(subject)) + "\n"},
        },
    )


def settings(subject: Subject) -> dict[str, Any]:
    """Return the EndpointPickerConfig that does what the plan's router does."""
    choice, several = choice_of(subject), len(subject.pools) > 1
    fitting = {"type": "context-length-aware", "parameters": {"label": RANGE, "enableFiltering": True}}
    weights = dict(choice.scorers)
    plugins = [fitting] if several else []
    plugins += [{"type": name} for name in weights if not (several and name == fitting["type"])]
    used: list[dict[str, Any]] = []
    if several:
        used.append({"pluginRef": fitting["type"], "weight": weights.pop("context-length-aware", 0)})
    used += [{"pluginRef": name, "weight": weight} for name, weight in weights.items()]
    ends = [{"type": choice.picker}, {"type": "single-profile-handler"}]
    return {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [*plugins, *ends],
        "schedulingProfiles": [{"name": "default", "plugins": [*used, {"pluginRef": choice.picker}]}],
    }
