"""The model card of a run, from the run's own records.

    python -m pragtrain.card WORK/cross-encoder [--figures int8.json] [--float float.json] [--export export.json]
        [--model whole.int8.onnx] > README.md

Figures are what `evaluate --json` wrote; without them the card says that none were taken. With the model it has examples
of what that gets wrong. A shipped model's records lie in `MODELS/NAME/run`, so its card can be written again.
"""

import argparse
import json
import sys
from pathlib import Path

from .evaluate import PUBLISHED
from .probes import section
from .sources import SOURCES
from .trunks import TRUNKS


# What no record of a run says.
NOTES = Path(__file__).parents[1] / "notes/cross-encoder.md"


def card(run: Path, figures: Path | None, floats: Path | None, exported: Path | None, model: Path | None = None) -> str:
    told = json.loads((run / "config.json").read_text())
    config, rows = told["config"], json.loads((run / "rows.json").read_text())
    log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    last = log[-1]
    trunk = TRUNKS[config["trunk"]]
    early = f", and a relevance head after layer {config['exit']}" if config["exit"] else ""
    parts = [
        f"# Cross-encoder over {config['trunk']}",
        f"{config['layers']} layers, 384 wide; heads for entailment (entailment, neutral, contradiction), relevance and answer "
        f"span (position 0: no answer here){early}. Trunk: {config['trunk']} ({trunk.licence}; `{trunk.package}`). "
        "Reads `[CLS] question [SEP] title [SEP] passage [SEP]` (title optional) and `[CLS] premise [SEP] hypothesis [SEP]`, "
        "uncased English WordPiece, at most 320 word pieces.",
        "## Data",
        _data(rows),
        "Made rows hold no text of an evaluation set. A row whose premise, question or passage stands in a development set was "
        "left out (`leakage.py`).",
        _made(rows),
        "## Recipe",
        f"{_passes(config)} over {rows['rows']:,} rows ({rows['tokens'] / 1e6:.1f} M word pieces), batches of {config['tokens']:,} padded word "
        f"pieces, AdamW {config['rate']:g} (weight decay {config['decay']:g}), {config['warm']:.0%} of the steps warming up, the rate falling to "
        f"nothing over the last {config['cool']:.0%}, no dropout, gradients clipped at {config['clip']:g}, seed {config['seed']}. Loss: NLI "
        f"cross-entropy; relevance cross-entropy + half of the two span cross-entropies + {config['early']:g} x the early head's.",
        *([f"Begun from weights with sha256 `{told['begun'][:16]}…` in place of trunk and new heads."] if "begun" in told else []),
        *([f"The embeddings and the lowest {config['frozen']} layers stayed as they were."] if config.get("frozen") else []),
        *([f"Beside the labels it learned the logits of a teacher: {told['teacher']}."] if "teacher" in told else []),
        *([f"The weights are the mean of {'; '.join(told['mean'])}."] if "mean" in told else []),
        f"Run: {last['step']:,} of {told['steps']:,} steps, {last['tokens'] / 1e6:.1f} M padded word pieces{_ended(last)}.",
        f"Rows: sha256 `{told['rows'][:16]}…`, made by the code of `config.json` beside them.",
    ]
    if exported is not None:
        files = json.loads(exported.read_text())["files"]
        parts += ["## Files", "| file | MB | sha256 |\n| --- | --- | --- |\n" + "\n".join(f"| {n} | {f['bytes'] / 1e6:.1f} | `{f['sha256']}` |" for n, f in files.items())]  # fmt: skip
    parts += ["## Figures", _figures(figures, floats), NOTES.read_text().strip()]
    if model is not None:
        parts += ["## Examples", section(model)]
    return "\n\n".join(parts) + "\n"


def _passes(config: dict) -> str:
    passes = config.get("passes", 1)
    words = {1: "one pass", 2: "two passes"}.get(passes, f"{passes} passes")
    return f"Part of {words}" if config["steps"] else words.capitalize()


def _ended(last: dict) -> str:
    """Of the last line of a log, what it has of time and losses."""
    time = f", {last['seconds'] / 3600:.1f} hours of wall time" if "seconds" in last else ""
    losses = ", ".join(f"{k} {last[k]}" for k in ("nli", "relevance", "early", "span") if k in last)
    return f"{time}. Last losses: {losses}" if losses else time


def _data(rows: dict) -> str:
    lines = ["| data | kind | rows upstream | used | licence as stated upstream |", "| --- | --- | --- | --- | --- |"]
    for source in SOURCES:
        found = rows["sources"].get(source.name)
        if found is not None:
            lines.append(f"| {source.name} | {source.kind} | {found['rows']:,} | {found['used']:,} | {source.licence} |")
    for name, kind, licence in (
        ("questions on manuals", "reading, claims", "Apache-2.0; texts of 40 manuals under free licences (`manuals.py`)"),
        ("written pairs", "nli", "Apache-2.0"),
    ):
        if found := rows["sources"].get(name):
            lines.append(f"| {name} | {kind} | {found['rows']:,} | {found['used']:,} | {licence} |")
    return "\n".join(lines)


def _made(rows: dict) -> str:
    sums: dict[str, list[int]] = {}
    for origin, found in rows["origins"].items():
        kind = origin if origin.startswith(("claim:", "made:", "manuals:", "unanswerable:")) else origin.rpartition(": ")[2] if ": " in origin else ""
        if kind:
            both = sums.setdefault(kind, [0, 0])
            both[0] += found["rows"]
            both[1] += found["tokens"]
    lines = ["| rows made from questions, and made up | rows | word pieces |", "| --- | --- | --- |"]
    return "\n".join(lines + [f"| {kind} | {n:,} | {tokens:,} |" for kind, (n, tokens) in sorted(sums.items())])


def _figures(figures: Path | None, floats: Path | None) -> str:
    if figures is None:
        return "None taken yet."
    beside = json.loads(floats.read_text())["figures"] if floats is not None else {}
    told = json.loads(figures.read_text())
    lines = ["| figure | int8 | 95 % | n | float | prototype | bar | aim |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, found in told["figures"].items():
        for what, f in found.items():
            between = f"{f['low']:.3f}-{f['high']:.3f}" if "low" in f else ""
            other = beside.get(name, {}).get(what)
            known = PUBLISHED.get(f"{name} {what}", (None, None, None))
            shown = [f"{other['value']:.3f}" if other else "", *("" if x is None else f"{x:.3f}" for x in known)]
            lines.append(f"| {name}: {what} | {f['value']:.3f} | {between} | {f['n']} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--figures", type=Path)
    parser.add_argument("--float", type=Path, dest="floats")
    parser.add_argument("--export", type=Path, dest="exported")
    parser.add_argument("--model", type=Path, help="the whole int8 graph")
    args = parser.parse_args()
    sys.stdout.write(card(args.run, args.figures, args.floats, args.exported, args.model))
