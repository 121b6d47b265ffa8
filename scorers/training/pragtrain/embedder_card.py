"""The model card of the embedder, from the run's own records.

    python -m pragtrain.embedder_card WORK/embedder --export WORK/embedder-export/export.json [--figures tuned.json]
        [--model embedder.int8.onnx] > README.md

Figures are what `evaluate_embedder --json` wrote; without them the card says that none were taken.
"""

import argparse
import json
import sys
from pathlib import Path

from .embedder_sources import CHOOSE_ARTICLES, CHOOSE_MANUALS, CHOOSE_PAPERS, CHOOSE_SENTENCES, MANUALS, PROPOSED, TABLE
from .embedder_teachers import TRUNK
from .evaluate_embedder import table
from .probes import embedder_section
from .manuals import MANUALS as EVERY_MANUAL
from .trunks import TRUNKS

LICENCES = {name: source.licence for name, source in TABLE.items()} | {
    name: f"Apache-2.0; texts of {len(EVERY_MANUAL) - CHOOSE_MANUALS} manuals under free licences (`manuals.py`)" for name in (MANUALS, PROPOSED)
}

LOSSES = {
    "contrast": "contrast", "teach": "teachers' distribution", "shape": "theirs among passages", "anchor": "(1 - cosine with the trunk)",
}  # fmt: skip


def card(run: Path, exported: Path, figures: Path | None, model: Path | None = None) -> str:
    told = json.loads((run / "config.json").read_text())
    config, rows = told["config"], json.loads((run / "rows.json").read_text())
    teachers = json.loads((run / "teachers.json").read_text())
    last = json.loads((run / "log.jsonl").read_text().splitlines()[-1])
    made = json.loads(exported.read_text())
    teachers_told = ", ".join(f"{name} ({TRUNKS[name].licence}; `{TRUNKS[name].package}`)" for name in teachers["scales"])
    parts = [
        f"# Embedder over {TRUNK}",
        "Turns a text into a unit vector of 384 numbers: the mean over the tokens of `last_hidden_state`, divided by its length. "
        f"{made['shape']['layers']} layers; uncased English WordPiece, at most 256 word pieces. Trunk: {TRUNK} "
        f"({TRUNKS[TRUNK].licence}; `{TRUNKS[TRUNK].package}`)." + (f" Taught by {teachers_told}." if teachers_told else "")
        + (f" It went on from the file of sha256 `{told['begun'][:12]}…`." if "begun" in told else ""),
        "## Data",
        "| data | used | licence as stated upstream |\n| --- | --- | --- |\n"
        + "\n".join(f"| {name} | {found['used']:,} | {LICENCES[name]} |" for name, found in rows["sources"].items()),
        f"Only the share of the trained weights was chosen on: {CHOOSE_ARTICLES} other articles of the first of these, {CHOOSE_PAPERS} "
        f"({TABLE[CHOOSE_PAPERS].licence}), {CHOOSE_SENTENCES} ({TABLE[CHOOSE_SENTENCES].licence}), {CHOOSE_MANUALS} other manuals. A row whose question or passage "
        "stands in a development set was left out (`leakage.py`; Cranfield and the climate claims are not among those it compares with).",
        "## Recipe",
        f"{last['step']:,} batches of about {rows['recipe']['tokens']:,} word pieces ({last['tokens'] / 1e6:.1f} M with padding, "
        f"{last['seconds'] / 60:.0f} minutes of wall time), AdamW {config['rate']:g} (weight decay {config['decay']:g}, {config['warm']:.0%} of the "
        f"steps warming up, then down to nothing), no dropout, word embeddings kept, seed {config['seed']}. Loss: "
        + " + ".join(f"{config[k]:g} x {what}" for k, what in LOSSES.items() if k in last)
        + f", cosines times {config['scale']:g}. Last losses: " + ", ".join(f"{k} {last[k]}" for k in LOSSES if k in last) + ".",
        f"Share of the trained weights, the rest being the trunk's: {made['share']:g}. "
        + (f"MRR by share:\n\n{_shares(made['chosen'])}" if made["chosen"] else "It was given, not chosen by a measure."),
        "Activations after norms and GELU are evened out before they become int8 (`smoothing.py`).",
        "## Files",
        "| file | MB | sha256 |\n| --- | --- | --- |\n" + "\n".join(f"| {n} | {f['bytes'] / 1e6:.1f} | `{f['sha256']}` |" for n, f in made["files"].items()),
        "Least cosine: " + "; ".join(f"{name} {value}" for name, value in made["differences"].items()) + ".",
        "## Intended use",
        "Dense retrieval of passages for questions and claims in English, and speech acts, in this product. Vectors of other embedders "
        "are of another space: an index is asked with the model that made it.",
        "## Weak points",
        "Other scripts than Latin fall into single characters or unknown pieces. Negation and numbers hardly move a vector. Activations "
        "are quantised over the whole tensor, so padding would move the vectors: each text runs alone. A runtime that "
        "is not told to take the weights as unsigned cuts off 8-bit sums on processors without VNNI, and vectors differ; this product "
        "tells it where that is needed (docs/arithmetic.md).",
        *([] if model is None else [embedder_section(model)]),
        "## Figures",
        "None taken yet." if figures is None else table(json.loads(figures.read_text())["figures"]),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _shares(chosen: dict[str, dict[str, float]]) -> str:
    names = list(next(iter(chosen.values()), {}))
    lines = [f"| share | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    return "\n".join(lines + [f"| {share} | {' | '.join(f'{found[name]:.4f}' for name in names)} |" for share, found in chosen.items()])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--export", type=Path, dest="exported", required=True)
    parser.add_argument("--figures", type=Path)
    parser.add_argument("--model", type=Path)
    args = parser.parse_args()
    sys.stdout.write(card(args.run, args.exported, args.figures, args.model))
