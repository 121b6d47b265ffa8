"""Makes the training rows: reads the permitted sets, adds what is made from them, and encodes everything.

    python -m pragtrain.prepare --data ../../../shared/data --dist ../../dist --work WORK

writes `WORK/rows.npz` and `WORK/rows.json` (how many rows each source gave). Same data, seed and processor, same bytes:
elsewhere int8 models may rank and answer otherwise by their last digits.
"""

import argparse
import json
import os
import random
from dataclasses import dataclass
from pathlib import Path

from .contracts import contract_rows
from .evaluate import onnx_scorer
from .examples import from_questions
from .leakage import Leakage
from .mine import mine
from .model import KIND_NLI, KIND_RELEVANCE, NLI, NOT_ENTAILMENT
from .own_answers import own_answers
from .proposed import proposed_texts
from .reading import paragraphs_of, questions_of
from .sequences import Words, pair, reading
from .sources import SOURCES, Source, check
from .store import Row, Store
from .synth import duty_rows, frame_rows, number_rows, overlap_rows
from .tables import rows_of
from .work import say, sha256_of, write_whole
from .written import WORDINGS, WRITTEN, asked_in, machine_texts, pair_texts, question_texts

LABELS = {**{label: i for i, label in enumerate(NLI)}, "not_entailment": NOT_ENTAILMENT}
MADE = {"overlap": 3_600, "frames": 2_600, "numbers": 1_600, "duties": 1_600}


@dataclass(frozen=True)
class Text:
    """A row before it is encoded. `title` None: two plain texts. `answer`: characters of `second`. `group`: as in `Row`."""

    kind: int
    label: int
    weight: float
    origin: str
    first: str
    second: str
    title: str | None = None
    answer: tuple[int, int] | None = None
    group: int = -1


def nli_texts(source: Source, data: Path, leakage: Leakage, seed: int, counts: dict) -> list[Text]:
    rows = rows_of(data / source.path)
    fit = []
    for row in rows:
        premise, hypothesis, label = row["premise"].strip(), row["hypothesis"].strip(), LABELS.get(row["label"])
        if label is None or not premise or not hypothesis:
            continue
        if leakage.has(premise) or leakage.has_pair(premise, hypothesis):
            continue
        if row.get("src") == "llmsknow":
            # The carrier took the final full stops away.
            premise, hypothesis = (text if text[-1] in ".?!\"'" else f"{text}." for text in (premise, hypothesis))
        fit.append(Text(KIND_NLI, label, source.weight, source.name, premise, hypothesis))
    random.Random(f"{seed}:{source.name}").shuffle(fit)
    kept = fit[: source.cap] if source.cap else fit
    counts[source.name] = {"rows": len(rows), "used": len(kept)}
    return kept


def contract_texts(source: Source, data: Path, leakage: Leakage, counts: dict) -> list[Text]:
    rows = contract_rows(data / source.path)
    kept = [
        Text(KIND_NLI, LABELS[label], source.weight * weight, source.name, premise, hypothesis)
        for premise, hypothesis, label, weight in rows
        if not leakage.has(premise)
    ] * source.times
    counts[source.name] = {"rows": len(rows), "used": len(kept)}
    return kept


def relevance_texts(source: Source, data: Path, leakage: Leakage, seed: int, counts: dict) -> list[Text]:
    """Sentences judged for a question: every relevant one, and three others for each at most."""
    rng = random.Random(f"{seed}:{source.name}")
    rows = [row for row in rows_of(data / source.path) if not leakage.has(row["query"], row["passage"])]
    by_question: dict[str, dict[str, list]] = {}
    for row in rows:
        by_question.setdefault(row["qid"], {"0": [], "1": []})[row["label"]].append(row)
    kept = []
    for group in by_question.values():
        others = rng.sample(group["0"], min(len(group["0"]), 3 * len(group["1"])))
        for row in [*group["1"], *others]:
            title = row.get("article", "").replace("_", " ") if rng.random() < 0.7 else ""
            kept.append(
                Text(KIND_RELEVANCE, int(row["label"]), source.weight, source.name, row["query"], row["passage"], title)
            )
    rng.shuffle(kept)
    kept = kept[: source.cap] if source.cap else kept
    counts[source.name] = {"rows": len(rows), "used": len(kept)}
    return kept


def made_texts(seed: int, natural: list[str], counts: dict) -> list[Text]:
    made = {
        "overlap": overlap_rows(MADE["overlap"], random.Random(f"{seed}:overlap")),
        "frames": frame_rows(MADE["frames"], natural, random.Random(f"{seed}:frames")),
        "numbers": number_rows(MADE["numbers"], random.Random(f"{seed}:numbers")),
        "duties": duty_rows(MADE["duties"], random.Random(f"{seed}:duties")),
    }
    texts = []
    for name, rows in made.items():
        counts[f"made: {name}"] = {"rows": len(rows), "used": len(rows)}
        texts += [Text(KIND_NLI, LABELS[label], 1.0, f"made: {name}", p, h) for p, h, label in rows]
    return texts


def short_statements(texts: list[Text]) -> list[str]:
    """Natural sentences to put into frames: hypotheses of SNLI and MultiNLI."""
    found = [t.second for t in texts if t.origin in ("SNLI", "MultiNLI") and 3 <= len(t.second.split()) <= 10]
    return [s for s in found if s.endswith(".") and "," not in s and s[:1].isalpha()]


def encode(texts: list[Text], words: Words, seed: int) -> list[Row]:
    rng = random.Random(f"{seed}:windows")
    rows = []
    for at in range(0, len(texts), 20_000):
        part = texts[at : at + 20_000]
        firsts, seconds = words.encode([t.first for t in part]), words.encode([t.second for t in part])
        titles = words.encode([t.title or "" for t in part])
        for text, first, second, title in zip(part, firsts, seconds, titles):
            if text.kind == KIND_NLI:
                sequence = pair(words, first, second)
            else:
                sequence = reading(words, first, title, second, text.answer, rng)
            if sequence is not None:
                rows.append(Row(sequence, text.kind, text.label, text.weight, text.origin, text.group))
    return rows


def thinned(rows: list, share: float, seed: int) -> list:
    """A seeded draw of that share of the rows, in their order."""
    rng = random.Random(f"{seed}:share")
    return rows if share >= 1 else [row for row in rows if rng.random() < share]


def prepare(
    data: Path,
    dist: Path,
    tokenizer: Path,
    work: Path,
    seed: int,
    reader: Path | None = None,
    manuals: Path | None = None,
    share: float = 1.0,
    times: int = 1,
    asked_share: float | None = None,
) -> Path:
    """Returns the file of rows; makes it unless it is there for the same recipe. `reader`: an exported model whose own
    answers, right and wrong, become claims. `manuals`: what `manuals.py` made; with it the rows that were written for this
    project are taken too, each `times`. `share`: of the public sets, how much is taken; `asked_share`: of their questions, if another.
    """
    check()
    target, record = work / "rows.npz", work / "rows.json"
    recipe = {"seed": seed, "code": {p.name: sha256_of(p) for p in sorted(Path(__file__).parent.glob("*.py")) if p.name in PARTS}}
    if reader is not None:
        recipe["reader"] = sha256_of(reader)
    if manuals is not None:
        recipe["written"] = {p.name: sha256_of(p) for folder in (WRITTEN, *WORDINGS) for p in sorted(folder.glob("*.*"))} | {"times": times}
    asked_share = share if asked_share is None else asked_share
    if min(share, asked_share) < 1:
        recipe["share"] = {"pairs": share, "questions": asked_share}
    if target.exists() and record.exists():
        if json.loads(record.read_text())["recipe"] == recipe:
            return target
        if (work / "config.json").exists():
            say("the recipe has changed since this run began: it goes on with its own rows")
            return target
    leakage = Leakage.of(data)
    counts: dict[str, dict[str, int]] = {}
    texts: list[Text] = []
    for source in SOURCES:
        if source.kind == "nli":
            texts += nli_texts(source, data, leakage, seed, counts)
        elif source.kind == "contracts":
            texts += contract_texts(source, data, leakage, counts)
        elif source.kind == "relevance":
            texts += relevance_texts(source, data, leakage, seed, counts)
    texts += made_texts(seed, short_statements(texts), counts)
    texts = thinned(texts, share, seed)
    questions = thinned(questions_of(data, leakage, seed, counts), asked_share, seed)
    ranked = mine(questions, work.parent / "mining", dist / "main.js")
    words = Words(tokenizer)
    answered = []
    score = None if reader is None else onnx_scorer(reader, os.cpu_count() or 1)
    if score is not None:
        say("reading: what the reader answers itself")
        rng = random.Random(f"{seed}:own answers")
        answered = own_answers(questions, ranked, paragraphs_of(questions), words, score, rng, asked_share)
    yesno = [s for s in SOURCES if s.kind == "yesno"]
    made = from_questions(questions, ranked, answered, yesno, data, dist, leakage, seed, counts)
    texts += [Text(**row) for row in made]
    if manuals is not None:
        asked, rng = asked_in(manuals, counts), random.Random(f"{seed}:written")
        written = question_texts(asked, dist, rng) + pair_texts(leakage, counts) + machine_texts(manuals, rng, counts)
        written += proposed_texts(manuals, rng, 1 + max(row.get("group", -1) for row in written), counts)
        texts += [Text(**row) for row in written] * times
    say(f"{len(texts)} rows before encoding")
    rows = encode(texts, words, seed)
    store = Store.of(rows)
    by_origin = {
        origin: {"rows": int((store.origin == i).sum()), "tokens": int(store.lengths[store.origin == i].sum())}
        for i, origin in enumerate(store.origins)
    }
    work.mkdir(parents=True, exist_ok=True)
    store.save(target)
    told = {"recipe": recipe, "rows": len(store), "tokens": int(store.begins[-1]), "sources": counts, "origins": by_origin}
    write_whole(record, f"{json.dumps(told, indent=1)}\n".encode())
    say(f"{len(store)} rows, {store.begins[-1] / 1e6:.1f} M word pieces")
    return target


# Files whose change makes other rows.
PARTS = {"prepare.py", "contracts.py", "examples.py", "unanswerable.py", "synth.py", "reading.py", "sources.py", "sequences.py", "leakage.py",
         "tables.py", "mine.py", "store.py", "product.py", "own_answers.py", "written.py", "manuals.py",
         "proposed.py"}  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).parents[1]
    parser.add_argument("--data", type=Path, default=here / "../../../shared/data")
    parser.add_argument("--dist", type=Path, default=here / "../../dist")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", type=Path, help="an exported model (.onnx) whose own answers become claims")
    parser.add_argument("--manuals", type=Path, help="what pragtrain.manuals made: takes the rows written for this project")
    parser.add_argument("--share", type=float, default=1.0, help="of the public sets, how much is taken")
    parser.add_argument("--asked-share", type=float, help="of the questions of the public sets (default: as --share)")
    parser.add_argument("--times", type=int, default=1, help="how often each written row is taken")
    args = parser.parse_args()
    prepare(args.data, args.dist, args.tokenizer, args.work, args.seed, args.reader, args.manuals, args.share, args.times, args.asked_share)
