"""Passages that a model finds as relevant to a written question as one that answers it, to be judged by readers.

    python -m pragtrain.disputed --manuals WORK/manuals --reader MODEL.onnx --out WORK/disputed.ndjson

writes a line a question: `id`, `query`, `act`, `answer` (a passage that answers) and `disputed` (hash, headings, text; most
relevant first), all outside of the window that its writer looked at. What judges said of them stands in
`../written/judged.ndjson`; what is judged there already is left out. Such passages are the errors that a ranking makes, or
answers that nobody knew of: only reading them tells which.
"""

import argparse
import json
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from .evaluate import onnx_scorer
from .reading import passage_id
from .sequences import Sequence, Words, reading
from .work import say, write_whole
from .written import Asked, Passage, asked_in

# Of the retrieved passages outside of the window, how many are scored, and how many are given to be judged at most.
DEPTH = 10
MOST = 3
# Logits below the least relevant answer.
MARGIN = 1.0
AT_ONCE = 200


def disputed(asked: Iterable[Asked], relevance) -> list[dict]:
    """`relevance`: logits of (question, passage) pairs."""
    rows = []
    for one in asked:
        answers, others = [p for p, *_ in one.answers], one.ranked[:DEPTH]
        if not answers or not others:
            continue
        scores = relevance([(one.row["query"], p) for p in answers + others])
        least = min(scores[: len(answers)]) - MARGIN
        ranked = sorted(zip(scores[len(answers) :], others), key=lambda pair: -pair[0])
        above = [p for score, p in ranked if score >= least][:MOST]
        if above:
            rows.append({"id": one.row["id"], "query": one.row["query"], "act": one.row["act"],
                         "answer": _shown(answers[0]), "disputed": [{"passage": passage_id(p.text), **_shown(p)} for p in above]})  # fmt: skip
        if len(rows) % AT_ONCE == 0 and above:
            say(f"{len(rows)} questions with disputed passages")
    return rows


def _shown(passage: Passage) -> dict:
    return {"title": passage.title, "text": passage.text}


def relevance_by(words: Words, score: Callable[[list[Sequence]], list[dict[str, np.ndarray]]]) -> Callable:
    """Relevance, in logits, of passages for questions by an exported model."""

    def of(pairs: list[tuple[str, Passage]]) -> list[float]:
        rng = random.Random(0)
        texts = [passage.second()[0] for _, passage in pairs]
        rows = zip(words.encode([q for q, _ in pairs]), words.encode([p.document for _, p in pairs]), words.encode(texts))
        found = score([reading(words, question, title, text, None, rng) for question, title, text in rows])
        return [float(one["relevance"]) for one in found]

    return of


def main() -> None:
    here = Path(__file__).parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manuals", type=Path, required=True, help="what pragtrain.manuals made")
    parser.add_argument("--reader", type=Path, required=True, help="an exported model (.onnx)")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    relevance = relevance_by(Words(args.tokenizer), onnx_scorer(args.reader, os.cpu_count() or 1))
    rows = disputed(asked_in(args.manuals, {}), relevance)
    write_whole(args.out, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
    say(f"{args.out}: {len(rows)} questions, {sum(len(row['disputed']) for row in rows)} passages to judge")


if __name__ == "__main__":
    main()
