"""Measures an embedder as a dense retriever on the development sets, another one beside it.

    python -m pragtrain.evaluate_embedder MODEL.onnx [--sets hotpot,climate] [--n 500] [--json OUT]
        [--rows ROWS] [--against OTHER-ROWS]

Each text runs alone, as in the product, and is cut at 256 word pieces. R@k: whether a relevant passage is among the first
k. Intervals are 95 % bootstraps by article or question. `--rows` writes what the figures are of; `--against` takes such
rows of another model and adds the paired difference, by the same questions, with its interval.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from .embedder import MAX_TOKENS
from .embedder_sets import SETS, Asked, Ranking
from .measures import spread
from .running import alone, session
from .sequences import Words
from .work import say, sha256_of, write_whole

Embed = Callable[[list[str]], np.ndarray]


def onnx_embedder(path: Path, words: Words, threads: int) -> Embed:
    """Unit vectors, one text a run; as many sessions as threads."""
    sessions = [session(path) for _ in range(threads)]

    def one(place: int, pieces: list[int]) -> np.ndarray:
        given = alone([words.cls, *pieces[: MAX_TOKENS - 2], words.sep])
        mean = sessions[place].run(["last_hidden_state"], given)[0][0].mean(0)
        return mean / np.linalg.norm(mean)

    def embed(texts: list[str]) -> np.ndarray:
        pieces = [e.ids for e in words.encode(texts)]
        shares = [range(place, len(pieces), threads) for place in range(threads)]
        found = np.zeros((len(pieces), 384), np.float32)

        def run(place: int) -> None:
            for i in shares[place]:
                found[i] = one(place, pieces[i])

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, range(threads)))
        return found

    return embed


def measure(ranking: Ranking, embed: Embed, count: int) -> dict[str, dict[str, list]]:
    """Values of each question by measure, and the questions' groups."""
    asked = ranking.asked
    if 0 < count < len(asked):
        places = np.random.default_rng(1).permutation(len(asked))[:count]
        asked = [asked[i] for i in sorted(places)]
    keys = list(ranking.passages)
    passages = embed([ranking.passages[key] for key in keys])
    questions = embed([a.text for a in asked])
    values: dict[str, list[float]] = {}
    for vector, one in zip(questions, asked):
        for name, value in scores(_ranked(vector, passages, keys, one), one, ranking.both).items():
            values.setdefault(name, []).append(value)
    return {"values": values, "groups": [a.group for a in asked]}


def _ranked(vector: np.ndarray, passages: np.ndarray, keys: list[str], one: Asked) -> list[str]:
    similar = passages @ vector
    if one.among is None:
        return [keys[i] for i in np.argsort(-similar, kind="stable")[:1000]]
    among = set(one.among)
    place = {key: similar[i] for i, key in enumerate(keys) if key in among}
    return sorted(one.among, key=lambda key: -place[key])


def scores(ranked: list[str], one: Asked, both: int) -> dict[str, float]:
    """R@1, R@10, MRR (over the first 1,000), both@10 where two are needed, nDCG@10 (Järvelin and Kekäläinen 2002)."""
    at = next((place for place, key in enumerate(ranked, 1) if key in one.gains), 0)
    found = {"R@1": float(at == 1), "R@10": float(0 < at <= 10), "MRR": 1 / at if at else 0.0}
    top = ranked[:10]
    if both:
        found[f"all {both} @10"] = float(sum(key in one.gains for key in top) >= both)
    else:
        best = sorted(one.gains.values(), reverse=True)[:10]
        found["nDCG@10"] = _gain([one.gains.get(key, 0) for key in top]) / _gain(best)
    return found


def _gain(gains: list[int]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))


def figures(told: dict[str, dict], beside: dict[str, dict]) -> dict[str, dict]:
    """Means with intervals; with the other model's mean and the paired difference where it was asked the same."""
    found: dict[str, dict] = {}
    for name, rows in told.items():
        for what, values in rows["values"].items():
            mine = np.array(values)
            low, high = spread(mine, rows["groups"])
            entry = {"value": float(mine.mean()), "low": low, "high": high, "n": len(mine)}
            other = beside.get(name)
            if other is not None and other["groups"] == rows["groups"]:
                theirs = np.array(other["values"][what])
                low, high = spread(mine - theirs, rows["groups"])
                entry["other"] = {"value": float(theirs.mean()), "more": float((mine - theirs).mean()), "low": low, "high": high}
            found.setdefault(name, {})[what] = entry
    return found


def table(found: dict[str, dict]) -> str:
    lines = ["| figure | value | 95 % | n | beside | difference | 95 % |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, measured in found.items():
        for what, f in measured.items():
            other = f.get("other")
            more = f"{other['value']:.3f} | {other['more']:+.4f} | {other['low']:+.4f} to {other['high']:+.4f}" if other else " | | "
            lines.append(f"| {name}: {what} | {f['value']:.3f} | {f['low']:.3f}-{f['high']:.3f} | {f['n']} | {more} |")
    return "\n".join(lines)


def main(argv: list[str]) -> None:
    here = Path(__file__).parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=here / "../../../shared/data")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--n", type=int, default=0, help="questions of each set, a seeded draw (default: all)")
    parser.add_argument("--against", type=Path, help="what --rows wrote for the model to stand beside")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", type=Path)
    args = parser.parse_args(argv)
    names = [name for name in args.sets.split(",") if name]
    unknown = set(names) - set(SETS)
    if unknown:
        parser.error(f"unknown sets: {sorted(unknown)}; there are {', '.join(SETS)}")
    embed = onnx_embedder(args.model, Words(args.tokenizer), args.threads)
    told = {}
    for name in names:
        began = time.monotonic()
        told[name] = measure(SETS[name](args.data), embed, args.n)
        say(f"{name}: {time.monotonic() - began:.0f} s")
    beside = json.loads(args.against.read_text()) if args.against else {}
    found = figures(told, beside)
    print(table(found))
    if args.json is not None:
        record = {"model": args.model.name, "sha256": sha256_of(args.model), "n": args.n, "figures": found}
        write_whole(args.json, f"{json.dumps(record, indent=1)}\n".encode())
    if args.rows is not None:
        write_whole(args.rows, f"{json.dumps(told)}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
