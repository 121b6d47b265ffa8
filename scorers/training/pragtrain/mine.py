"""Hard negatives: what the product's own retrieval ranks high for a question and does not hold its answer."""

import json
import os
import subprocess
from pathlib import Path

from .leakage import normal
from .reading import Question, paragraphs_of, passage_id
from .work import say

DEPTH = 24


def mine(questions: list[Question], folder: Path, product: Path) -> dict[str, list[str]]:
    """Ranks the training paragraphs for each question by `pragaura retrieve --branch fused`.

    `product`: the built `main.js`. Returns question key -> paragraph ids, best first; what was found once is kept
    in `folder` and taken from there when the questions and paragraphs are the same.
    """
    paragraphs = paragraphs_of(questions)
    corpus, queries, run = folder / "paragraphs.jsonl", folder / "queries.ndjson", folder / "fused.trec"
    folder.mkdir(parents=True, exist_ok=True)
    corpus_text = "".join(
        json.dumps({"_id": key, "title": title, "text": text}) + "\n" for key, (title, text) in sorted(paragraphs.items())
    )
    query_text = "".join(json.dumps({"id": q.key, "query": q.query}) + "\n" for q in sorted(questions, key=lambda q: q.key))
    same = run.exists() and _is(corpus, corpus_text) and _is(queries, query_text)
    if not same:
        # First, so that a run that is broken off does not leave the ranking of other questions.
        run.unlink(missing_ok=True)
        corpus.write_text(corpus_text)
        queries.write_text(query_text)
        say(f"mining: {len(paragraphs)} paragraphs, {len(questions)} questions")
        node = ["node", str(product)]
        subprocess.run([*node, "index", str(corpus), "--out", str(folder / "index")], check=True, stdout=subprocess.DEVNULL)
        part = run.with_suffix(".part")
        with queries.open() as given, part.open("w") as out:
            subprocess.run(
                [*node, "retrieve", "--index", str(folder / "index"), "--branch", "fused", "-k", str(DEPTH)],
                check=True, stdin=given, stdout=out,
            )  # fmt: skip
        os.replace(part, run)
    ranked: dict[str, list[str]] = {}
    for line in run.read_text().splitlines():
        query, _, doc, *_ = line.split()
        ranked.setdefault(query, []).append(doc.rsplit("/", 1)[-1].rsplit("#", 1)[-1])
    return ranked


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


def hard_negatives(question: Question, ranked: list[str], paragraphs: dict[str, tuple[str, str]]) -> list[str]:
    """Ids of ranked paragraphs, best first, that are not its own and hold none of its answers."""
    own = passage_id(question.passage)
    answers = [normal(answer) for answer in question.answers]
    found = []
    for key in ranked:
        if key == own or key not in paragraphs:
            continue
        text = normal(paragraphs[key][1])
        if not any(answer and answer in text for answer in answers):
            found.append(key)
    return found
