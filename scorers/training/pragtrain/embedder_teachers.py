"""What the embedder learns from beside the pairs: how near larger models, and its own trunk, hold texts to be.

    python -m pragtrain.embedder_teachers --work WORK [--steps N] [--teachers bge-small-en-v1.5,e5-small-v2 | --teachers none]

writes `WORK/vectors-NAME.npy` (float16, one row a text; of the trunk too) and `WORK/teachers.json` (scales), for the texts
of the first N batches. A teacher's cosines times its
scale, and the mean of that over the teachers times `all`, are logits over the passages of a batch; each scale is where
those are likeliest to name the gold passages of the training batches.
"""

import argparse
import json
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from .embedder import Embedder
from .embedder_rows import Batch, Texts, load
from .model import Shape
from .sequences import Words
from .trunks import TRUNKS, fetch
from .work import say, sha256_of, write_whole

# What is trained, and held near itself.
TRUNK = "minilm-l6-v2"
FIT_BATCHES = 60
BATCH_TOKENS = 8_192


@dataclass(frozen=True)
class Teacher:
    """What its authors put before a question and a passage, and whether its vector is the first token's."""

    ask: str = ""
    passage: str = ""
    first: bool = False


TEACHERS = {
    "bge-small-en-v1.5": Teacher("Represent this sentence for searching relevant passages: ", "", True),
    "e5-small-v2": Teacher("query: ", "passage: "),
    TRUNK: Teacher(),
}


def model_of(name: str, trunks: Path) -> Embedder:
    model = Embedder(Shape(layers=TRUNKS[name].layers), TEACHERS[name].first)
    model.take_trunk(load_file(fetch(name, trunks)))
    return model.eval()


def embed(model: Embedder, texts: Texts, heads: tuple[list[int], list[int]], tail: int, numbers: np.ndarray | None = None) -> np.ndarray:
    """Vectors (float32) of texts by number, in batches of like length. `heads`: word pieces before a passage, and
    before a question."""
    numbers = np.arange(len(texts)) if numbers is None else numbers
    device = next(model.parameters()).device
    found = np.zeros((len(numbers), model.shape.width), np.float32)
    order = np.lexsort((texts.lengths[numbers], texts.asks[numbers]))
    at = 0
    while at < len(order):
        asks = texts.asks[numbers[order[at]]]
        stop = at + 1
        while stop < len(order) and texts.asks[numbers[order[stop]]] == asks and (stop + 1 - at) * (texts.lengths[numbers[order[stop]]] + 12) <= BATCH_TOKENS:  # fmt: skip
            stop += 1
        places = order[at:stop]
        given = (torch.from_numpy(x).to(device) for x in texts.padded(numbers[places], heads[int(asks)], tail))
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
            found[places] = model(*given).cpu().numpy()
        at = stop
    return found


def heads_of(teacher: Teacher, words: Words) -> tuple[list[int], list[int]]:
    return tuple([words.cls, *words.encode([text])[0].ids] if text else [words.cls] for text in (teacher.passage, teacher.ask))


def vectors(name: str, texts: Texts, needed: np.ndarray, words: Words, work: Path, device: torch.device) -> np.ndarray:
    """A teacher's vectors of the texts in `needed`, computed where they are not there; rows of others hold NaN."""
    target = work / f"vectors-{name}.npy"
    found = np.load(target) if target.exists() else np.full((len(texts), Shape().width), np.nan, np.float16)
    if len(found) != len(texts):
        raise SystemExit(f"{target} is of other texts ({len(found)} rows, {len(texts)} texts): remove it")
    lacking = needed[np.isnan(found[needed, 0])]
    if len(lacking):
        say(f"{name} reads {len(lacking)} texts")
        model = model_of(name, work.parent / "trunks").to(device)
        found[lacking] = embed(model, texts, heads_of(TEACHERS[name], words), words.sep, lacking).astype(np.float16)
        part = target.with_suffix(".part")
        with part.open("wb") as file:
            np.save(file, found)
        os.replace(part, target)
    return found


def likelihood(logits: list[np.ndarray], batches: list[Batch]) -> float:
    """Mean negative log probability of the gold passages; blocked places do not count."""
    total, rows = 0.0, 0
    for found, batch in zip(logits, batches):
        shown = found.copy()
        shown[batch.blocked[:, 0], batch.blocked[:, 1]] = -np.inf
        top = shown.max(1)
        gold = shown[np.arange(len(shown)), batch.gold]
        total += float((top + np.log(np.exp(shown - top[:, None]).sum(1)) - gold).sum())
        rows += len(shown)
    return total / rows


def fitted(similar: list[np.ndarray], batches: list[Batch], low: float = 0.2, high: float = 200.0) -> float:
    """The factor under which the gold passages are likeliest; golden-section search over its logarithm."""

    def loss(at: float) -> float:
        return likelihood([s * math.exp(at) for s in similar], batches)

    left, right, ratio = math.log(low), math.log(high), (math.sqrt(5) - 1) / 2
    for _ in range(24):
        a, b = right - ratio * (right - left), left + ratio * (right - left)
        if loss(a) < loss(b):
            right = b
        else:
            left = a
    return math.exp((left + right) / 2)


def similarities(found: np.ndarray, batches: list[Batch]) -> list[np.ndarray]:
    return [found[b.askings].astype(np.float32) @ found[b.passages].astype(np.float32).T for b in batches]


def teach(work: Path, names: list[str], tokenizer: Path, device: torch.device, steps: int) -> dict:
    """Makes what `embedder_train` reads; takes what is there. `steps` 0: for all batches."""
    record, rows = work / "teachers.json", sha256_of(work / "rows.npz")
    texts, batches = load(work / "rows.npz")
    batches = batches[:steps] if steps else batches
    if record.exists():
        told = json.loads(record.read_text())
        if told["rows"] == rows and list(told["scales"]) == names and told["steps"] >= len(batches):
            return _write(record, {**told, "steps": len(batches)})
        if told["rows"] != rows:
            for old in work.glob("vectors-*.npy"):
                old.unlink()
    words = Words(tokenizer)
    some = batches[:FIT_BATCHES]
    needed = np.unique(np.concatenate([side for b in batches for side in (b.askings, b.passages)]))
    scales, losses, sums = {}, {}, [np.zeros((len(b.askings), len(b.passages)), np.float32) for b in some]
    own = similarities(vectors(TRUNK, texts, needed, words, work, device), some)
    losses[f"{TRUNK} itself"] = likelihood([s * fitted(own, some) for s in own], some)
    for name in names:
        similar = similarities(vectors(name, texts, needed, words, work, device), some)
        scales[name] = fitted(similar, some)
        losses[name] = likelihood([s * scales[name] for s in similar], some)
        sums = [before + s * scales[name] / len(names) for before, s in zip(sums, similar)]
        say(f"{name}: scale {scales[name]:.1f}, loss {losses[name]:.4f}")
    together = fitted(sums, some) if names else 1.0
    if names:
        losses["together"] = likelihood([s * together for s in sums], some)
        say(f"together: times {together:.2f}, loss {losses['together']:.4f}")
    return _write(record, {"rows": rows, "steps": len(batches), "scales": scales, "all": together, "losses": losses})


def _write(record: Path, told: dict) -> dict:
    write_whole(record, f"{json.dumps(told, indent=1)}\n".encode())
    return told


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).parents[1]
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--teachers", default="bge-small-en-v1.5")
    parser.add_argument("--steps", type=int, default=0, help="batches to read for (default: all)")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    teach(args.work, [] if args.teachers == "none" else args.teachers.split(","), args.tokenizer, torch.device(args.device), args.steps)


if __name__ == "__main__":
    main(sys.argv[1:])
