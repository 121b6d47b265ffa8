"""Questions with their passages and answers, and the paragraphs that they stand among."""

import hashlib
import random
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from .leakage import Leakage, normal
from .sources import SOURCES
from .tables import rows_of

# Data sets whose "docid" before the number sign names something that a reader would take for a title.
TITLED = ("squad/squad11-train-44", "nli/nq_qed/", "qa-train/nq-open", "qa-train/fairytale")


@dataclass(frozen=True)
class Question:
    """A question, the passage that answers it and its answers (each a substring of the passage)."""

    source: str
    key: str
    query: str
    title: str
    passage: str
    answers: tuple[str, ...]
    sentence: str
    # Questions of one group share an article.
    group: str
    # Place of the paragraph in its article, -1 where unknown.
    place: int
    weight: float


def title_of(path: str, docid: str) -> str:
    """A title from `Article_name#3`; "" where the id is a hash."""
    if not path.startswith(TITLED):
        return ""
    name = unquote(docid.split("#")[0] if "#" in docid else docid)
    words = name.replace("_", " ") if "_" in name or " " in name else name.replace("-", " ")
    return re.sub(r"\s+", " ", words).strip()


def questions_of(data: Path, leakage: Leakage, seed: int, counts: dict[str, dict[str, int]]) -> list[Question]:
    """The reading questions that may be trained on, at most `cap` of each set, taken by a seeded draw."""
    every: list[Question] = []
    for source in SOURCES:
        if source.kind != "reading":
            continue
        found = []
        rows = rows_of(data / source.path)
        for row in rows:
            if leakage.has(row["query"], row["passage"]):
                continue
            docid = row.get("docid") or row.get("title", "")
            answers = tuple(a.strip() for a in row["answers"].split(" | ") if a.strip())
            if source.name == "Quoref" and len(answers) > 1:
                continue  # every part is needed: no single span is the answer
            answers = tuple(a for a in answers if a in row["passage"])
            if not answers:
                continue
            group, _, place = docid.partition("#")
            found.append(
                Question(
                    source.name, row["qid"], row["query"].strip(), title_of(source.path, docid), row["passage"],
                    answers, row.get("answer_sentence", ""), group, int(place) if place.isdigit() else -1,
                    source.weight,
                )
            )  # fmt: skip
        rng = random.Random(f"{seed}:{source.name}")
        rng.shuffle(found)
        if source.name == "QAMR":
            found = _few_a_passage(found, 10)
        kept = found[: source.cap] if source.cap else found
        counts[source.name] = {"rows": len(rows), "used": len(kept)}
        every += kept
    return every


def _few_a_passage(questions: list[Question], most: int) -> list[Question]:
    seen: dict[str, int] = {}
    kept = []
    for question in questions:
        seen[question.passage] = seen.get(question.passage, 0) + 1
        if seen[question.passage] <= most:
            kept.append(question)
    return kept


def passage_id(passage: str) -> str:
    return hashlib.sha256(normal(passage).encode()).hexdigest()[:16]


def paragraphs_of(questions: list[Question]) -> dict[str, tuple[str, str]]:
    """Each passage once: id -> (title, text)."""
    found: dict[str, tuple[str, str]] = {}
    for question in questions:
        key = passage_id(question.passage)
        if key not in found or (question.title and not found[key][0]):
            found[key] = (question.title, question.passage)
    return found
