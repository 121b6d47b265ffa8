"""Measures a model on the development sets, the prototype beside it.

    python -m pragtrain.evaluate MODEL --data ../../../shared/data [--sets mnli,snli] [--n 1000] [--json OUT]
        [--rows ROWS] [--against OTHER-ROWS]

MODEL: an ONNX file (each sequence runs alone, as in the product) or a checkpoint of a run (batches, bf16 on a GPU).
`--plain` leaves titles out of questions (the prototype was not trained with them). `--candidates FILE` adds re-ranking
over what `python -m pragtrain.candidates` wrote. `--json` writes the figures, beside those of other sets that stand there
for the same model, `--rows` what they are of, row by row; `--against` takes such rows of another model and adds the paired
difference with its 95 % bootstrap interval. Intervals draw premises, contracts and articles, not rows.
"""

import argparse
import hashlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from .measures import auroc, calibration_error, calibration_interval, exact, f1, softmax, spread, spread_of_auroc, temperature, wilson
from .running import alone, session
from .sequences import MAX_TOKENS, Sequence, Words
from .tables import rows_of, text_of
from .work import say, sha256_of, write_whole

LABELS = ("entailment", "neutral", "contradiction")
NLI_SETS = {
    "mnli": "nli/mnli/mnli_dev_matched.tsv.gz", "snli": "nli/snli/snli_dev.tsv.gz", "fever": "nli/fever/fever_dev_sr.tsv.gz",
    "lingnli": "nli/lingnli/lingnli_val.tsv.gz", "hans": "nli/hans/hans_eval.tsv.gz",
    "contract": "nli/contract_nli/contract_nli_dev_spans.tsv.gz", "anli": "nli/anli/anli_dev.tsv.gz",
}  # fmt: skip
READING = "squad/squad11-dev-articles-a.tsv.gz"
UNANSWERABLE = ("squad/squad2-dev-cs224n.json.gz", "squad/squad2-dev-san-slice.json", "squad/squad2-dev-small.json")
SETS = (*NLI_SETS, "reading", "unanswerable")
# shared/prototype/README.md: prototype, bar, aim.
PUBLISHED = {
    "mnli accuracy": (0.721, 0.78, 0.84), "snli accuracy": (0.839, 0.86, 0.89), "fever accuracy": (0.762, 0.85, 0.92),
    "lingnli accuracy": (0.666, 0.70, 0.80), "hans accuracy": (0.493, 0.60, 0.75), "contract accuracy": (0.538, 0.62, 0.75),
    "anli accuracy": (0.332, None, 0.40), "rerank R@1": (0.863, 0.88, 0.93), "rerank R@10": (0.963, 0.975, 0.985),
}  # fmt: skip
MAX_ANSWER = 30
# Passages that the upper half would go on with.
KEPT = 8

Score = Callable[[list[Sequence]], list[dict[str, np.ndarray]]]


def onnx_scorer(path: Path, threads: int) -> Score:
    model = session(path, threads)
    names = [o.name for o in model.get_outputs()]

    def score(sequences: list[Sequence]) -> list[dict[str, np.ndarray]]:
        found = []
        for sequence in sequences:
            given = alone(sequence.ids, np.arange(len(sequence.ids)) >= sequence.second)
            found.append({name: value[0] for name, value in zip(names, model.run(None, given))})
        return found

    return score


def torch_scorer(path: Path, threads: int, device: str, tokens: int = 16_384) -> Score:
    import torch

    from .export import load

    torch.set_num_threads(threads)
    model = load(path).to(device)

    def score(sequences: list[Sequence]) -> list[dict[str, np.ndarray]]:
        found: list[dict[str, np.ndarray]] = [{}] * len(sequences)
        places = sorted(range(len(sequences)), key=lambda i: len(sequences[i].ids))
        while places:
            width = len(sequences[places[-1]].ids)
            taken, places = places[-max(1, tokens // width) :], places[: -max(1, tokens // width)]
            ids = np.zeros((len(taken), width), np.int64)
            types, mask = np.zeros_like(ids), np.zeros_like(ids)
            for row, i in enumerate(taken):
                size = len(sequences[i].ids)
                ids[row, :size], mask[row, :size], types[row, sequences[i].second : size] = sequences[i].ids, 1, 1
            with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=True):
                out = model(*(torch.from_numpy(x).to(device) for x in (ids, types, mask)))
            arrays = {name: value.float().cpu().numpy() for name, value in out.items()}
            for row, i in enumerate(taken):
                found[i] = {name: value[row] for name, value in arrays.items()}
        return found

    return score


def sample(rows: list, count: int, seed: int = 1) -> list:
    return rows if not count or count >= len(rows) else random.Random(seed).sample(rows, count)


def cut_pair(words: Words, first, second, most: int = MAX_TOKENS) -> Sequence:
    """Both texts; the first gives way where they do not fit (the product reads the rest in further windows)."""
    b = second.ids[: most // 2]
    a = first.ids[: most - 3 - len(b)]
    return Sequence(np.array([words.cls, *a, words.sep, *b, words.sep], np.uint16), len(a) + 2)


def measure_nli(name: str, data: Path, words: Words, score: Score, count: int) -> dict:
    rows = sample(rows_of(data / NLI_SETS[name]), count)
    firsts, seconds = words.encode([r["premise"] for r in rows]), words.encode([r["hypothesis"] for r in rows])
    logits = np.stack([f["nli"] for f in score([cut_pair(words, a, b) for a, b in zip(firsts, seconds)])])
    shares = softmax(logits)
    # Hypotheses about one premise, and all that are asked of one contract, stand or fall together.
    groups = np.array([r.get("doc_id", r["premise"]) for r in rows])
    if name == "hans":
        right = (shares.argmax(1) == 0) == np.array([r["label"] == "entailment" for r in rows])
    else:
        labels = np.array([LABELS.index(r["label"]) for r in rows])
        right = shares.argmax(1) == labels
    found = {"accuracy": _mean(right, groups)}
    if name == "hans":
        kinds = sorted({(r["heuristic_by_order"], r["label"]) for r in rows})
        for kind, label in kinds:
            chosen = np.array([(r["heuristic_by_order"], r["label"]) == (kind, label) for r in rows])
            found[f"accuracy, {kind}, {label}"] = _mean(right[chosen], groups[chosen])
        return found
    present = sorted(set(labels))
    if len(present) == 2:
        # Three classes are chosen from, and one of them is never right here: also as if the choice were known.
        found["accuracy, two-way"] = _mean(np.array(present)[shares[:, present].argmax(1)] == labels, groups)
    # What the hypothesis alone gives away (Gururangan et al. 2018; Poliak et al. 2018).
    [nothing] = words.encode([""])
    blind = np.stack([f["nli"] for f in score([cut_pair(words, nothing, b) for b in seconds])])
    found["accuracy, hypothesis alone"] = _mean(blind.argmax(1) == labels, groups)
    if len(present) > 1:
        half = np.random.default_rng(1).permutation(len(rows))
        fit, test = half[: len(rows) // 2], half[len(rows) // 2 :]
        heat = temperature(logits[fit], labels[fit])
        heated = softmax(logits[test] / heat)
        low, high = calibration_interval(heated, labels[test])
        found["ECE after temperature"] = {"value": calibration_error(heated, labels[test]), "low": low, "high": high, "temperature": heat, "n": len(test)}  # fmt: skip
    for i, label in enumerate(LABELS):
        if (labels == i).any():
            found[f"recall, {label}"] = _mean(right[labels == i], groups[labels == i])
    return found


def _mean(values: np.ndarray, groups: Iterable[str]) -> dict:
    """With its 95 % interval: whole groups are drawn; Wilson's for shares where each row is a group of its own."""
    names, right = [str(name) for name in groups], values.astype(float)
    alone = len(set(names)) == len(names) and values.dtype == bool
    low, high = wilson(int(values.sum()), len(values)) if alone else spread(right, names)
    # Of a text a digest: enough to see whether two models were asked the same.
    rows = {"values": right.tolist(), "groups": [_digest(name) for name in names]}
    return {"value": float(right.mean()), "low": low, "high": high, "n": len(right), "rows": rows}


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def read(words: Words, score: Score, questions: list[tuple[str, str, str]]) -> list[tuple[str, float, int]]:
    """Best answer, its margin over "no answer here" and the character where it begins, for each (question, title, passage).

    A passage too long for one window is read in two, its beginning and its end; the one of the higher margin answers. What
    lies between two windows (past some 600 pieces) is not read; the product reads it.
    """
    asked, titles, passages = (words.encode([q[i] for q in questions]) for i in range(3))
    sequences, owner = [], []
    for number, (question, title, passage) in enumerate(zip(asked, titles, passages)):
        head = [words.cls, *question.ids[:80], words.sep, *([*title.ids[:24], words.sep] if title.ids else [])]
        room = MAX_TOKENS - len(head) - 1
        size = len(passage.ids)
        for begin in [0] if size <= room else [0, max(room // 2, size - room)]:
            ids = [*head, *passage.ids[begin : begin + room], words.sep]
            sequences.append(Sequence(np.array(ids, np.uint16), len(head)))
            owner.append((number, begin, min(size, begin + room)))
    best: list[tuple[str, float, int]] = [("", -100.0, 0)] * len(questions)
    for (number, begin, stop), sequence, found in zip(owner, sequences, score(sequences)):
        text, offsets, heads = questions[number][2], passages[number].offsets, passages[number].word_ids
        at = sequence.second
        start, end = found["start"][at : at + stop - begin], found["end"][at : at + stop - begin]
        sums = start[:, None] + end[None, :]
        sums[np.tril_indices(len(start), -1)] = -1e9
        sums[np.triu_indices(len(start), MAX_ANSWER)] = -1e9
        i, j = np.unravel_index(int(sums.argmax()), sums.shape)
        margin = float(sums[i, j] - found["start"][0] - found["end"][0])
        if margin > best[number][1]:
            i, j = int(i) + begin, int(j) + begin
            while i > 0 and heads[i] == heads[i - 1]:
                i -= 1
            while j + 1 < len(heads) and heads[j + 1] == heads[j]:
                j += 1
            best[number] = (text[offsets[i][0] : offsets[j][1]], margin, offsets[i][0])
    return best


def measure_reading(data: Path, words: Words, score: Score, count: int, titles: bool) -> dict:
    rows = sample(rows_of(data / READING), count)
    asked = [(r["query"], r["docid"].split("#")[0].replace("_", " ") if titles else "", r["passage"]) for r in rows]
    said = read(words, score, asked)
    answers = [r["answers"].split(" | ") for r in rows]
    groups = [r["docid"].split("#")[0] for r in rows]
    found = {}
    for name, how in (("EM", exact), ("F1", f1)):
        found[name] = _mean(np.array([how(text, right) for (text, *_), right in zip(said, answers)]), groups)
    return found


def measure_unanswerable(data: Path, words: Words, score: Score, count: int, titles: bool) -> dict:
    every: dict[str, tuple] = {}
    for file in UNANSWERABLE:
        for article in json.loads(text_of(data / file))["data"]:
            title = article.get("title", "").replace("_", " ") if titles else ""
            for paragraph in article["paragraphs"]:
                for qa in paragraph["qas"]:
                    lacks = bool(qa.get("is_impossible", not qa["answers"]))
                    key = f"{qa['question']}|{paragraph['context'][:80]}"
                    every[key] = (qa["question"], title, paragraph["context"], lacks, article.get("title", ""))
    rows = sample([every[key] for key in sorted(every)], count)
    margins = np.array([margin for _, margin, _ in read(words, score, [row[:3] for row in rows])])
    answerable = np.array([not row[3] for row in rows])
    groups = [_digest(row[4]) for row in rows]
    low, high = spread_of_auroc([margins], answerable, groups)
    kept = {"values": margins.tolist(), "positive": answerable.tolist(), "groups": groups}
    return {"AUROC": {"value": auroc(margins, answerable), "low": low, "high": high, "n": len(rows), "rows": kept}}


def measure_rerank(file: Path, words: Words, score: Score, count: int, titles: bool) -> dict:
    """Rows of the file: {"query", "gold": [id], "candidates": [{"id", "title", "text"}]}, best first."""
    rows = sample([json.loads(line) for line in file.read_text().splitlines()], count)
    # By article where candidates have its name, as where the questions come from articles.
    groups = [next((c["title"] for c in row["candidates"] if c["id"] in row["gold"] and c.get("title")), row["query"]) for row in rows]
    places: dict[str, list[int]] = {"before": [], "relevance": [], "early": [], "halves": []}
    for row in rows:
        question = words.encode([row["query"]])[0]
        heads = words.encode([c.get("title", "") if titles else "" for c in row["candidates"]])
        sequences = []
        for title, passage in zip(heads, words.encode([c["text"] for c in row["candidates"]])):
            head = [words.cls, *question.ids[:80], words.sep, *([*title.ids[:24], words.sep] if title.ids else [])]
            ids = [*head, *passage.ids[: MAX_TOKENS - len(head) - 1], words.sep]
            sequences.append(Sequence(np.array(ids, np.uint16), len(head)))
        found = score(sequences)
        ids = [c["id"] for c in row["candidates"]]
        ways = {"before": list(range(len(ids)))}
        for name in ("relevance", "early"):
            if not found or name in found[0]:
                ways[name] = sorted(range(len(ids)), key=lambda i: -float(found[i][name]))
        if "early" in ways:
            # In halves: the lower one ranks all, the upper one goes on with the best.
            best = sorted(ways["early"][:KEPT], key=lambda i: -float(found[i]["relevance"]))
            ways["halves"] = [*best, *ways["early"][KEPT:]]
        for name, ranked in ways.items():
            at = next((place for place, i in enumerate(ranked, 1) if ids[i] in row["gold"]), 0)
            places[name].append(at)
    told = {}
    for name, found_at in places.items():
        at = np.array(found_at)
        # A model without an early head: its only entries are of questions that had no candidate.
        if name in ("early", "halves") and len(at) < len(rows):
            continue
        label = "" if name == "relevance" else f" ({name})"
        told[f"R@1{label}"] = _mean(at == 1, groups)
        told[f"R@10{label}"] = _mean((at > 0) & (at <= 10), groups)
        told[f"MRR@10{label}"] = _mean(np.where((at > 0) & (at <= 10), 1 / np.maximum(at, 1), 0.0), groups)
    return told


def differences(figures: dict[str, dict], beside: dict[str, dict]) -> dict[str, dict]:
    """This model's figure less the other's, over the same rows, by set and figure: `more` with its interval."""
    found: dict[str, dict] = {}
    for name, measured in figures.items():
        for what, figure in measured.items():
            mine, theirs = figure.get("rows"), beside.get(name, {}).get(what, {}).get("rows")
            if mine is None or theirs is None:
                continue
            of = [key for key in ("groups", "positive") if key in mine]
            if len(mine["values"]) != len(theirs["values"]) or any(mine[key] != theirs.get(key) for key in of):
                raise ValueError(f"{name}: {what} was measured on other rows")
            both = [np.array(one["values"], float) for one in (mine, theirs)]
            positive = np.array(mine.get("positive", []), bool)
            groups = mine.get("groups")
            low, high = spread_of_auroc(both, positive, groups) if len(positive) else spread(both[0] - both[1], groups)
            other = beside[name][what]["value"]
            found.setdefault(name, {})[what] = {"more": figure["value"] - other, "low": low, "high": high}
    return found


def table(figures: dict[str, dict], more: dict[str, dict] | None = None) -> str:
    heads = ["figure", "value", "95 %", "n", "prototype", "bar", "aim", *(["difference", "95 %"] if more is not None else [])]
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for name, found in figures.items():
        for what, f in found.items():
            between = f"{f['low']:.3f}-{f['high']:.3f}" if "low" in f else ""
            beside = ["" if x is None else f"{x:.3f}" for x in PUBLISHED.get(f"{name} {what}", (None, None, None))]
            cells = [f"{name}: {what}", f"{f['value']:.3f}", between, str(f["n"]), *beside]
            if more is not None:
                d = more.get(name, {}).get(what)
                cells += ["", ""] if d is None else [f"{d['more']:+.3f}", f"{d['low']:+.3f} to {d['high']:+.3f}"]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def measure(score: Score, words: Words, data: Path, sets: list[str], count: int, titles: bool, candidates: Path | None = None) -> dict:
    """Figures by set, of `count` rows of each (0: all)."""
    figures: dict[str, dict] = {}
    for name in sets:
        began = time.monotonic()
        if name in NLI_SETS:
            figures[name] = measure_nli(name, data, words, score, count)
        elif name == "reading":
            figures[name] = measure_reading(data, words, score, count, titles)
        else:
            figures[name] = measure_unanswerable(data, words, score, count, titles)
        say(f"{name}: {time.monotonic() - began:.0f} s")
    if candidates is not None:
        figures["rerank"] = measure_rerank(candidates, words, score, count, titles)
    return figures


def main(argv: list[str]) -> None:
    here = Path(__file__).parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=here / "../../../shared/data")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--n", type=int, default=0, help="rows of each set, a seeded draw (default: all)")
    parser.add_argument("--candidates", type=Path, help="candidates to re-rank")
    parser.add_argument("--against", type=Path, help="what --rows wrote for the model to stand beside")
    parser.add_argument("--plain", action="store_true", help="questions without titles")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", type=Path)
    args = parser.parse_args(argv)
    sets = [name for name in args.sets.split(",") if name]
    unknown = set(sets) - set(SETS)
    if unknown:
        parser.error(f"unknown sets: {sorted(unknown)}; there are {', '.join(SETS)}")
    words = Words(args.tokenizer)
    score = onnx_scorer(args.model, args.threads) if args.model.suffix == ".onnx" else torch_scorer(args.model, args.threads, args.device)
    figures = measure(score, words, args.data, sets, args.n, not args.plain, args.candidates)
    more = differences(figures, json.loads(args.against.read_text())) if args.against else None
    print(table(figures, more))
    if args.json is not None:
        whole = {name: {what: {k: v for k, v in f.items() if k != "rows"} for what, f in found.items()} for name, found in figures.items()}
        told = {"model": args.model.name, "sha256": sha256_of(args.model), "titles": not args.plain, "figures": whole}
        if args.json.exists():
            before = json.loads(args.json.read_text())
            if all(before.get(key) == told[key] for key in ("sha256", "titles")):
                told["figures"] = {**before["figures"], **whole}
        write_whole(args.json, f"{json.dumps(told, indent=1)}\n".encode())
    if args.rows is not None:
        write_whole(args.rows, f"{json.dumps(figures)}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
