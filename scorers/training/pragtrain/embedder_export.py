"""Chooses how much of the trunk stays in a trained embedder, and writes its graphs, float and int8.

    python -m pragtrain.embedder_export WORK/model.pt --out FOLDER [--choose WORK/choose.json] [--share S]
    python -m pragtrain.embedder_export SHIPPED.onnx --out FOLDER --trunks WORK/trunks --share S
    python -m pragtrain.embedder_export minilm-l6-v2 --out FOLDER       (a trunk as it is)

Weights on the line between the trunk and the trained model often do better away from the training sets than either. The
place on the line is that of the best mean MRR over `choose.json`: sets that may be trained on but were not.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np
import onnx
import torch

from .embedder import MAX_TOKENS, Embedder, between, graph
from .embedder_rows import Texts
from .embedder_sources import QUESTIONS, TABLE
from .embedder_teachers import TEACHERS, TRUNK, embed, heads_of, model_of
from .export import written
from .model import Shape
from .running import alone, session
from .sequences import Words
from .shipped import read
from .smoothing import peaks, smoothed
from .tables import rows_of
from .trunks import TRUNKS
from .work import say

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
PROBES = 24
# Of some 12,000 rows: 396 texts.
CALIBRATION_STEP = 60


def texts_of(words: Words, texts: list[str]) -> Texts:
    ids = [np.array(e.ids[: MAX_TOKENS - 2], np.uint16) for e in words.encode(texts)]
    begins = np.concatenate([[0], np.cumsum([len(i) for i in ids])]).astype(np.int64)
    return Texts(np.concatenate(ids), begins, np.zeros(len(ids), bool))


def chosen_on(model: Embedder, sets: dict[str, dict], words: Words) -> dict[str, float]:
    """MRR of each set of `choose.json`, all its passages ranked."""
    heads = heads_of(TEACHERS[TRUNK], words)
    told = {}
    for name, found in sets.items():
        keys = list(found["passages"])
        place = {key: i for i, key in enumerate(keys)}
        passages = embed(model, texts_of(words, [found["passages"][key] for key in keys]), heads, words.sep)
        askings = embed(model, texts_of(words, [text for text, _ in found["askings"]]), heads, words.sep)
        similar = askings @ passages.T
        best = np.array([max(row[place[key]] for key in gold) for row, (_, gold) in zip(similar, found["askings"])])
        told[name] = float((1 / (1 + (similar > best[:, None]).sum(1))).mean())
    return told


def choose(trunk: dict[str, torch.Tensor], tuned: dict[str, torch.Tensor], shape: Shape, sets: dict[str, dict], words: Words) -> tuple[float, dict]:
    """The share of the best mean MRR, and what was measured for each."""
    told: dict[str, dict[str, float]] = {}
    model = Embedder(shape).eval()
    for share in SHARES:
        model.load_state_dict(between(trunk, tuned, share))
        told[str(share)] = chosen_on(model, sets, words)
        say(f"share {share}: " + ", ".join(f"{name} {value:.4f}" for name, value in told[str(share)].items()))
    return max(SHARES, key=lambda share: float(np.mean(list(told[str(share)].values())))), told


def tuned_of(path: Path) -> dict[str, torch.Tensor]:
    """The weights of a run's `model.pt`, or of an exported graph: of int8 what it stands for."""
    if path.suffix == ".onnx":
        return read(path, Embedder).state_dict()
    return torch.load(path, map_location="cpu", weights_only=True)["model"]


def calibration(data: Path, words: Words) -> list[list[int]]:
    """Questions and paragraphs of training articles, by which int8 activations are evened out."""
    rows = rows_of(data / TABLE[QUESTIONS[0]].path)[::CALIBRATION_STEP]
    texts = dict.fromkeys(row[part] for row in rows for part in ("query", "passage"))
    return [[words.cls, *e.ids[: MAX_TOKENS - 2], words.sep] for e in words.encode(list(texts))]


def export(model: Embedder, out: Path, sequences: list[list[int]]) -> dict:
    """Writes the graphs; `sequences` of word pieces are what `peaks` looks at. Raises RuntimeError where the float graph's
    vectors differ from torch's."""
    made = graph({name: tensor.numpy() for name, tensor in model.state_dict().items()}, model.shape)
    seen = peaks(made, sequences)
    return written({"embedder": made}, model.shape, out, lambda: differences(model, out), lambda one: smoothed(one, seen))


def differences(model: Embedder, out: Path) -> dict[str, float]:
    """Least cosines between the vectors of one text, over sequences of random word pieces."""
    sessions = [session(out / f"embedder.{kind}.onnx") for kind in ("float", "int8")]
    rng = np.random.default_rng(7)
    least = {"torch and float graph": 1.0, "float and int8 (random words)": 1.0}
    for _ in range(PROBES):
        length = int(rng.integers(5, min(200, model.shape.positions)))
        given = alone(rng.integers(model.shape.vocabulary // 20, model.shape.vocabulary, length))
        with torch.no_grad():
            truth = model(*(torch.from_numpy(given[name]) for name in ("input_ids", "attention_mask"))).numpy()[0]
        means = [s.run(["last_hidden_state"], given)[0][0].mean(0) for s in sessions]
        one, two = (mean / np.linalg.norm(mean) for mean in means)
        least["torch and float graph"] = min(least["torch and float graph"], float(truth @ one))
        least["float and int8 (random words)"] = min(least["float and int8 (random words)"], float(one @ two))
    if least["torch and float graph"] < 0.9999:
        raise RuntimeError(f"torch and float graph: cosine {least['torch and float graph']}, expected at least 0.9999")
    return {name: round(value, 6) for name, value in least.items()}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).parents[1]
    parser.add_argument("model", help=f"model.pt of a run, an exported graph, or one of {', '.join(TRUNKS)}")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trunks", type=Path, help="folder of trunks (default: beside the run's)")
    parser.add_argument("--choose", type=Path, help="sets on which the share of the trained weights is chosen")
    parser.add_argument("--share", type=float, default=1.0, help="share of the trained weights where nothing is chosen")
    parser.add_argument("--data", type=Path, default=here / "../../../shared/data", help="int8 is calibrated on texts of it")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    trunks = args.trunks or (args.out.parent if args.model in TRUNKS else Path(args.model).parent.parent) / "trunks"
    share, told, words = args.share, {}, Words(args.tokenizer)
    model = model_of(args.model if args.model in TRUNKS else TRUNK, trunks)
    if args.model not in TRUNKS:
        trunk, tuned = model.state_dict(), tuned_of(Path(args.model))
        if args.choose is not None:
            share, told = choose(trunk, tuned, model.shape, json.loads(args.choose.read_text()), words)
        model.load_state_dict(between(trunk, tuned, share))
    record = export(model, args.out, calibration(args.data, words))
    record.update(share=share, chosen=told)
    (args.out / "export.json").write_text(f"{json.dumps(record, indent=1)}\n")
    print(json.dumps({"share": share, **record["differences"], **record["files"]}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
