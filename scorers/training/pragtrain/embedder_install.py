"""Puts an exported embedder beside the shipped models: weights, card and lock entry.

    python -m pragtrain.embedder_install WORK/embedder --export WORK/embedder-export --figures WORK/tuned.json [--default]

writes `MODELS/NAME/model.int8.onnx`, `README.md`, the run's records in `run/` and the entry NAME of
`MODELS/models.lock.json`; `--default` makes it the model of the job embed. An index holds the vectors of the embedder that
made it, and the classifier of speech acts reads them: build indexes anew and run `pragaura classify train` afterwards.
"""

import argparse
import json
from pathlib import Path

from .embedder import MAX_TOKENS
from .embedder_card import card
from .embedder_teachers import TRUNK
from .install import TOKENIZER, lock_file_of, part_of, put, records_of
from .trunks import TRUNKS
from .work import say

KNOWN = (
    ("How do I reset my password?", "Steps to recover access to your account.", "The harbour freezes over in January."),
    ("A dog runs along the beach.", "A puppy is playing by the sea.", "Interest rates were raised by the central bank."),
    ("What is photosynthesis?", "Plants turn sunlight into chemical energy.", "The train to Lyon leaves at nine."),
)


def install(run: Path, exported: Path, models: Path, name: str, default: bool, figures: Path | None = None) -> dict:
    """Returns the entry. Raises RuntimeError where the file is not the one that `export.json` describes."""
    told = json.loads((run / "config.json").read_text())
    shape = json.loads((exported / "export.json").read_text())["shape"]
    step = json.loads((run / "log.jsonl").read_text().splitlines()[-1])["step"]
    file = "embedder.int8.onnx"
    made = {
        "title": f"Embedder over {TRUNK}, {shape['layers']} layers, dynamic int8",
        "revision": f"rows {told['rows'][:12]}, step {step}",
        "licence": TRUNKS[TRUNK].licence,
        "card": f"{name}/README.md",
        "weights": lock_file_of(exported, file, f"{name}/model.int8.onnx"),
        "tokenizer": part_of(models, TOKENIZER),
        "maxTokens": MAX_TOKENS,
        "batching": "single",
        "jobs": {
            "embed": {
                "output": "last_hidden_state",
                "pooling": "mean",
                "dimension": shape["width"],
                "known": [{"text": text, "near": near, "far": far} for text, near, far in KNOWN],
            }
        },
    }
    text = card(run, exported / "export.json", figures, exported / file)
    records = {"export.json": exported / "export.json", "figures.json": figures}
    copies = {exported / file: models / name / "model.int8.onnx"}
    copies |= records_of(run, ("config.json", "rows.json", "teachers.json", "log.jsonl"), records, models / name)
    put(models, name, made, text, copies, ("embed",) if default else ())
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of the run: config.json, rows.json, teachers.json, log.jsonl")
    parser.add_argument("--export", type=Path, required=True, dest="exported")
    parser.add_argument("--name", default="pragaura-embedder")
    parser.add_argument("--models", type=Path, default=Path(__file__).parents[2] / "models")
    parser.add_argument("--figures", type=Path, help="of the card: what `evaluate_embedder --json` wrote")
    parser.add_argument("--default", action="store_true", help="make it the default of embed")
    args = parser.parse_args()
    made = install(args.run, args.exported, args.models, args.name, args.default, args.figures)
    say(f"{made['weights']['path']}: {made['weights']['bytes'] / 1e6:.1f} MB, sha256 {made['weights']['sha256']}")
