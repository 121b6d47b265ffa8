"""Rows of ContractNLI's training contracts: a clause, and what a contract of this kind may say.

Entailed and contradicted: all clauses that the annotators marked, together. Neutral: the contract does not say; the
clauses that share most with the hypothesis stand in for what a search would find. The same is done, at half the weight,
with the nearest clause that was not marked where others were: it does not say it either.
"""

import json
import math
import re
from collections import Counter
from pathlib import Path

from .tables import text_of

CHOICES = {"Entailment": "entailment", "Contradiction": "contradiction", "NotMentioned": "neutral"}
# Shorter spans are headings and numbers of clauses.
MIN_WORDS = 6
NEAREST = 2
UNMARKED = 0.5
WORD = re.compile(r"[a-z]+")

# Premise, hypothesis, label, weight.
ContractRow = tuple[str, str, str, float]


def contract_rows(path: Path) -> list[ContractRow]:
    """Raises ValueError for a choice that is none of the three."""
    told = json.loads(text_of(path))
    hypotheses = {key: label["hypothesis"] for key, label in told["labels"].items()}
    rows: list[ContractRow] = []
    for document in told["documents"]:
        clauses = [_plain(document["text"][begin:end]) for begin, end in document["spans"]]
        shared = _overlap(clauses)
        for key, annotation in document["annotation_sets"][0]["annotations"].items():
            label, hypothesis = CHOICES.get(annotation["choice"]), hypotheses[key]
            if label is None:
                raise ValueError(f"{path}: contract {document['id']} has the choice {annotation['choice']!r}")
            marked = set(annotation["spans"])
            near = [i for i in shared(hypothesis) if i not in marked and len(clauses[i].split()) >= MIN_WORDS]
            if label == "neutral":
                rows += [(clauses[i], hypothesis, label, 1.0) for i in near[:NEAREST]]
                continue
            rows.append((" ".join(clauses[i] for i in sorted(marked)), hypothesis, label, 1.0))
            rows += [(clauses[i], hypothesis, "neutral", UNMARKED) for i in near[:1]]
    return rows


def _plain(text: str) -> str:
    return " ".join(text.split())


def _overlap(clauses: list[str]):
    """Ranks the clauses of a contract by the words they share with a hypothesis, rare ones counting more."""
    words = [set(WORD.findall(clause.lower())) for clause in clauses]
    seen = Counter(word for each in words for word in each)
    rare = {word: math.log(1 + len(clauses) / count) for word, count in seen.items()}

    def ranked(hypothesis: str) -> list[int]:
        asked = set(WORD.findall(hypothesis.lower()))
        shared = [sum(rare[word] for word in asked & each) for each in words]
        return sorted(range(len(clauses)), key=lambda i: (-shared[i], i))

    return ranked
