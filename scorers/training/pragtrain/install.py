"""Puts an exported cross-encoder beside the shipped models: weights, card and lock entry.

    python -m pragtrain.install WORK/cross-encoder --export WORK/export --figures WORK/int8.json [--default]

writes `MODELS/NAME/model.int8.onnx` (or, with `--keep 8`, `lower.int8.onnx` and `upper.int8.onnx`: the lower half ranks, the
best eight passages are read), `README.md`, the run's records in `run/` and the entry NAME of `MODELS/models.lock.json`,
with sizes and hashes; `--default` makes it the model of the jobs rerank, read and nli. Nothing is written unless the file
is the one that `export.json` describes. Afterwards `pragaura models verify NAME` runs it on its known pairs.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from .card import card
from .model import NLI
from .sequences import MAX_QUESTION, MAX_TITLE, MAX_TOKENS
from .trunks import TRUNKS
from .work import say, sha256_of, write_whole

TOKENIZER = "bert-uncased/tokenizer.json"
JOBS = ("rerank", "read", "nli")
KNOWN_RERANK = (
    {"query": "When was the bridge opened?", "better": "The bridge was opened to traffic in 1932 after six years of work.",
     "worse": "The bakery sells bread and cakes every morning."},
    {"query": "Who wrote the report?", "better": "The report was written by Maria Lopez in March.",
     "worse": "Heavy rain is expected in the north tomorrow."},
    {"query": "What is the capital of Norway?", "better": "Oslo is the capital and largest city of Norway.",
     "worse": "A violin has four strings tuned in fifths."},
    {"query": "When was the Aldmere Bridge opened?", "title": "Aldmere Bridge",
     "better": "It was opened to traffic in 1932 after six years of work.",
     "worse": "It was painted green, and its lamps were replaced."},
)  # fmt: skip
KNOWN_READ = (
    {"query": "When was the bridge opened?", "passage": "The bridge was opened to traffic in 1932 after six years of work.",
     "answer": "1932"},
    {"query": "Who painted the ceiling?", "passage": "The ceiling was painted by Anna Berg before the hall was opened.",
     "answer": "Anna Berg"},
    {"query": "Who wrote the report?", "passage": "Heavy rain is expected in the north tomorrow.", "answer": None},
    {"query": "When was the Aldmere Bridge opened?", "title": "Aldmere Bridge",
     "passage": "It was opened to traffic in 1932 after six years of work.", "answer": "1932"},
)  # fmt: skip
KNOWN_NLI = (
    ("A man is playing a guitar on stage.", "A man is playing an instrument.", "entailment"),
    ("A man is playing a guitar on stage.", "The man is famous.", "neutral"),
    ("A man is playing a guitar on stage.", "Nobody is playing music.", "contradiction"),
)


def entry(run: Path, name: str, weights: dict, upper: dict | None, tokenizer: dict) -> dict:
    """The lock entry of a run's model; what the fields mean is said in `scorers/runtime/registry.ts`."""
    told = json.loads((run / "config.json").read_text())
    config = told["config"]
    step = json.loads((run / "log.jsonl").read_text().splitlines()[-1])["step"]
    rerank = {"output": "relevance", **({"early": "early"} if config["exit"] else {}), "known": list(KNOWN_RERANK)}
    return {
        "title": f"Cross-encoder over {config['trunk']}, {config['layers']} layers, dynamic int8",
        "revision": f"rows {told['rows'][:12]}, step {step}",
        "licence": TRUNKS[config["trunk"]].licence,
        "card": f"{name}/README.md",
        "weights": weights,
        "tokenizer": tokenizer,
        **({} if upper is None else {"upper": upper}),
        "maxTokens": MAX_TOKENS,
        "batching": "single",
        "titled": {"query": MAX_QUESTION, "title": MAX_TITLE},
        "jobs": {
            "rerank": rerank,
            "read": {"start": "start", "end": "end", "known": list(KNOWN_READ)},
            "nli": {
                "output": "nli",
                "labels": list(NLI),
                "known": [{"premise": p, "hypothesis": h, "label": label} for p, h, label in KNOWN_NLI],
            },
        },
    }


def install(
    run: Path,
    exported: Path,
    models: Path,
    name: str,
    default: bool,
    keep: int | None = None,
    figures: Path | None = None,
    floats: Path | None = None,
) -> dict:
    """Returns the entry. `keep`: in halves, of which the upper one reads so many passages. Raises RuntimeError where a
    file is not the one that `export.json` describes.
    """
    target = models / name
    files = {"whole.int8.onnx": "model.int8.onnx"} if keep is None else {f: f for f in ("lower.int8.onnx", "upper.int8.onnx")}
    weights, *rest = (lock_file_of(exported, source, f"{name}/{file}") for source, file in files.items())
    width = json.loads((exported / "export.json").read_text())["shape"]["width"]
    upper = {**rest[0], "hidden": "hidden", "width": width, "keep": keep} if rest else None
    made = entry(run, name, weights, upper, part_of(models, TOKENIZER))
    text = card(run, figures, floats, exported / "export.json", exported / "whole.int8.onnx")
    copies = {exported / source: target / file for source, file in files.items()}
    records = {"export.json": exported / "export.json", "figures.json": figures, "float.json": floats}
    copies |= records_of(run, ("config.json", "rows.json", "log.jsonl"), records, target)
    put(models, name, made, text, copies, JOBS if default else ())
    return made


def lock_file_of(folder: Path, file: str, path: str) -> dict:
    """A file as the lock file names it: where it will lie, its size and hash."""
    told = json.loads((folder / "export.json").read_text())["files"][file]
    found = {"bytes": (folder / file).stat().st_size, "sha256": sha256_of(folder / file)}
    if found != told:
        raise RuntimeError(f"{folder / file} is {found}, but export.json says {told}: export again")
    return {"path": path, **found}


def part_of(folder: Path, path: str) -> dict:
    return {"path": path, "bytes": (folder / path).stat().st_size, "sha256": sha256_of(folder / path)}


def records_of(run: Path, names: tuple[str, ...], others: dict[str, Path | None], target: Path) -> dict[Path, Path]:
    """What the card is written from, and where it is kept beside the weights: with it the card can be written again."""
    found = {run / name: target / "run" / name for name in names}
    return found | {path: target / "run" / name for name, path in others.items() if path is not None}


def put(models: Path, name: str, made: dict, text: str, copies: dict[Path, Path], jobs: tuple[str, ...]) -> None:
    """Writes files, card and the lock entry `made`, which becomes the default of `jobs`."""
    parts = {goal: goal.with_name(f"{goal.name}.part") for goal in copies.values()}
    for source, goal in copies.items():
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, parts[goal])
    # All copies first: where this is a model's own place, only renames stand between the old one and the new.
    for goal, part in parts.items():
        part.replace(goal)
    # What the one before had and this one has not: its halves, its records.
    for left in {*(models / name).glob("*.onnx"), *(models / name / "run").glob("*")} - set(parts):
        left.unlink()
    write_whole(models / name / "README.md", text.encode())
    lock = json.loads((models / "models.lock.json").read_text())
    lock["models"][name] = made
    lock["defaults"].update({job: name for job in jobs})
    # The lock file last: until then the files of a new model belong to nobody.
    write_whole(models / "models.lock.json", f"{json.dumps(lock, indent=2, ensure_ascii=False)}\n".encode())


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of the run: config.json, rows.json, log.jsonl")
    parser.add_argument("--export", type=Path, required=True, dest="exported")
    parser.add_argument("--name", default="pragaura-cross-encoder")
    parser.add_argument("--models", type=Path, default=Path(__file__).parents[2] / "models")
    parser.add_argument("--keep", type=int, help="install the halves; so many passages are read of those that the lower one ranked")
    parser.add_argument("--figures", type=Path, help="of the card: what `evaluate --json` wrote")
    parser.add_argument("--float", type=Path, dest="floats", help="the same of the float graph")
    parser.add_argument("--default", action="store_true", help="make it the default of rerank, read and nli")
    args = parser.parse_args(argv)
    made = install(args.run, args.exported, args.models, args.name, args.default, args.keep, args.figures, args.floats)
    say(f"{made['weights']['path']}: {made['weights']['bytes'] / 1e6:.1f} MB, sha256 {made['weights']['sha256']}")


if __name__ == "__main__":
    main(sys.argv[1:])
