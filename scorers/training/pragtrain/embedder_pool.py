"""Askings (questions and claims) with the passages that answer them, and what stands near each passage."""

import math
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .embedder_sources import (
    CHOOSE_ARTICLES, CHOOSE_MANUALS, CHOOSE_PAPERS, CHOOSE_SENTENCES, CLAIMS, MANUALS, PROPOSED, PUBMED, QUESTIONS, SENTENCES, TABLE,
)  # fmt: skip
from .examples import place_of
from .leakage import Leakage, normal
from .manuals import MANUALS as EVERY_MANUAL
from .mine import mine
from .proposed import otherwise, proposed_in
from .reading import Question, passage_id, questions_of
from .tables import rows_of
from .written import WRITTEN, Passage, asked_in, lines_of, passages_of

CLAIM_PASSAGES = 6_000
CLAIMS_EACH = 3
NEAR = 16
# Passages that retrieval ranks for a question on a manual and that are read beside its own.
RANKED = 6
WORD = re.compile(r"\w+")
# A sentence that begins so says too little about whom it speaks of to be found for a claim.
NAMELESS = re.compile(r"^(?:he|she|it|they|his|her|its|their|this|these|those|that|there)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Asking:
    """`gold`: ids of the passages that answer it. `answers`: normalised; a passage that holds one is no negative."""

    text: str
    gold: tuple[str, ...]
    answers: tuple[str, ...] = ()
    source: str = ""


@dataclass
class Pool:
    """`passages`: id -> (title, text). `near`: id -> ids of passages that are like what its askings look for."""

    passages: dict[str, tuple[str, str]] = field(default_factory=dict)
    askings: list[Asking] = field(default_factory=list)
    near: dict[str, list[str]] = field(default_factory=dict)

    def add(self, text: str, title: str, passage: str, answers: Iterable[str], source: str) -> None:
        key = passage_id(passage)
        known = self.passages.get(key, ("", ""))
        self.passages[key] = (title or known[0], passage)
        found = tuple(a for a in map(normal, answers) if a)
        self.askings.append(Asking(text.strip(), (key,), found, source))

    def find_near(self, ranked: dict[str, list[list[str]]]) -> None:
        """`ranked`: id -> one ranking for each of its askings; merged rank by rank."""
        for key, rankings in ranked.items():
            found: dict[str, None] = {}
            for place in range(max(map(len, rankings), default=0)):
                for ranking in rankings:
                    if place < len(ranking) and ranking[place] != key and ranking[place] in self.passages:
                        found.setdefault(ranking[place])
            self.near[key] = list(found)


def gather(
    data: Path, mining: Path | None, manuals: Path | None, product: Path, leakage: Leakage, seed: int, words_for: int
) -> tuple[dict[str, Pool], dict[str, Pool], dict]:
    """Pools to train on, pools to choose on, and how many rows each source gave.

    `mining`: the folder of the cross-encoder's mined ranking, made there unless it is there; None: near a paragraph are those
    of its article. `manuals`: what `manuals.py` left; None: nothing is asked of manuals. `words_for`: about how many words of a
    passage the embedder will see; an asking whose answer comes later is left out.
    """
    counts: dict[str, dict[str, int]] = {}
    questions = questions_of(data, leakage, seed, counts)
    ranked = _neighbours(questions, seed) if mining is None else mine(questions, mining, product)
    held = _held_articles(questions, seed)
    text_held = " ".join({normal(q.passage) for q in held})
    train, choose = Pool(), {"articles": Pool(), "papers": Pool(), "sentences": Pool()}
    rankings: dict[str, list[list[str]]] = {}
    used = {name: 0 for name in QUESTIONS}
    for q in questions:
        if q in held:
            choose["articles"].add(q.query, "", q.passage, q.answers, q.source)
        elif q.source == CHOOSE_PAPERS:
            choose["papers"].add(q.query, "", q.passage, q.answers, q.source)
        elif q.source in QUESTIONS and normal(q.passage) not in text_held and _early(q, words_for):
            train.add(q.query, q.title, q.passage, q.answers, q.source)
            rankings.setdefault(passage_id(q.passage), []).append(ranked.get(q.key, []))
            used[q.source] += 1
    for row in rows_of(data / TABLE[SENTENCES].path):
        if row["label"] == "1" and not leakage.has(row["query"], row["passage"]):
            train.add(row["query"], row["article"].replace("_", " "), row["passage"], (), SENTENCES)
            used[SENTENCES] = used.get(SENTENCES, 0) + 1
    for row in rows_of(data / PUBMED.path):
        if not leakage.has(row["question"], row["passage"]):
            train.add(row["question"], "", row["passage"], (), PUBMED.name)
            used[PUBMED.name] = used.get(PUBMED.name, 0) + 1
    train.find_near(rankings)
    claims = _claims(data, leakage, seed)
    used[CLAIMS] = len(claims.askings)
    for row in rows_of(data / TABLE[CHOOSE_SENTENCES].path):
        if not leakage.has(row["query"], row["passage"]):
            key = passage_id(row["passage"])
            choose["sentences"].passages[key] = ("", row["passage"])
            if row["label"] == "1":
                choose["sentences"].askings.append(Asking(row["query"], (key,), (), CHOOSE_SENTENCES))
    pools = {"questions": train, "claims": claims}
    if manuals is not None:
        pools["manuals"], choose["other manuals"] = _manuals(manuals, seed, counts)
        for asking in pools["manuals"].askings:
            used[asking.source] = used.get(asking.source, 0) + 1
    told = {name: {"used": n, **({"rows": counts[name]["rows"]} if name in counts else {})} for name, n in used.items()}
    return pools, choose, told


def _neighbours(questions: list[Question], seed: int) -> dict[str, list[str]]:
    """For each question, by its key, other paragraphs of the article, in no order."""
    rng = random.Random(f"{seed}:neighbours")
    articles: dict[tuple[str, str], dict[str, None]] = {}
    for q in questions:
        articles.setdefault((q.source, q.group), {}).setdefault(passage_id(q.passage))
    keys = {group: list(own) for group, own in articles.items()}
    return {q.key: rng.sample(own, min(NEAR, len(own))) for q in questions for own in (keys[q.source, q.group],)}


def _held_articles(questions: list[Question], seed: int) -> set[Question]:
    first = QUESTIONS[0]
    articles = sorted({q.group for q in questions if q.source == first})
    chosen = set(random.Random(f"{seed}:articles").sample(articles, min(CHOOSE_ARTICLES, len(articles) // 2)))
    return {q for q in questions if q.source == first and q.group in chosen}


def _early(question: Question, words: int) -> bool:
    """Whether the answer stands where the embedder still sees it."""
    return len(question.passage[: place_of(question)[0]].split()) < words


def _claims(data: Path, leakage: Leakage, seed: int) -> Pool:
    """Claims and the sentences that support or refute them, a few claims a sentence; near are those that share rare
    words with the claims, since one sentence for a claim is as like another as its names and things are."""
    rng = random.Random(f"{seed}:claims")
    by_premise: dict[str, list[dict[str, str]]] = {}
    every: dict[str, set[str]] = {}
    for row in rows_of(data / TABLE[CLAIMS].path):
        premise = row["premise"].strip()
        if NAMELESS.match(premise) or len(premise.split()) < 6 or leakage.has(premise) or leakage.has_pair(premise, row["hypothesis"]):
            continue
        by_premise.setdefault(premise, []).append(row)
        every.setdefault(row["fever_id"], set()).add(passage_id(premise))
    pool = Pool()
    words: dict[str, str] = {}
    for premise in rng.sample(sorted(by_premise), min(CLAIM_PASSAGES, len(by_premise))):
        rows = by_premise[premise]
        key = passage_id(premise)
        pool.passages[key] = ("", premise)
        for row in rng.sample(rows, min(CLAIMS_EACH, len(rows))):
            golds = (key, *sorted(every[row["fever_id"]] - {key}))
            pool.askings.append(Asking(row["hypothesis"].strip(), golds, (), CLAIMS))
            words[key] = f"{words.get(key, '')} {row['hypothesis']}"
    pool.find_near({key: [found] for key, found in overlapping(words, {key: text for key, (_, text) in pool.passages.items()}).items()})
    return pool


def _manuals(folder: Path, seed: int, counts: dict[str, dict[str, int]]) -> tuple[Pool, Pool]:
    """Written questions on manuals and those made by rules, in all their wordings, to train on; and the written ones on the manuals
    that are left out, beside all passages of these. Near is what retrieval ranks for them.
    """
    rng = random.Random(f"{seed}:manuals")
    apart = set(rng.sample([manual.package for manual in EVERY_MANUAL], CHOOSE_MANUALS))
    train, choose = Pool(), Pool()
    rankings: dict[str, list[list[str]]] = {}
    package = {row["window"]: row["package"] for row in lines_of(WRITTEN / "windows.ndjson")}

    def key_of(passage: Passage) -> str:
        return passage_id(passage.embedded)

    def put(texts: Iterable[str], answers: list[Passage], near: list[Passage], source: str) -> None:
        golds = tuple(dict.fromkeys(map(key_of, answers)))
        train.passages.update({key_of(p): ("", p.embedded) for p in (*answers, *near)})
        train.askings += [Asking(text, (first, *(key for key in golds if key != first)), (), source) for text in texts for first in golds[:1]]
        rankings.setdefault(golds[0], []).append([key_of(p) for p in near])

    for one in asked_in(folder, counts):
        # What answers in part is no answer to be found, and no wrong one.
        answers = [p for p, *_ in one.answers] + [p for p, said in one.judged if said != "no"]
        wordings = (one.row["query"], *one.wordings)
        if not one.answers:
            continue
        if package[one.row["window"]] in apart:
            golds = tuple(dict.fromkeys(key_of(p) for p, *_ in one.answers))
            choose.askings += [Asking(text, golds, (), MANUALS) for text in wordings]
            continue
        put(wordings, answers, [*one.others[:2], *[p for p, said in one.judged if said == "no"], *one.ranked[:RANKED]], MANUALS)
    for manual in EVERY_MANUAL:
        if manual.package in apart:
            choose.passages.update({key_of(p): ("", p.embedded) for p in passages_of(manual, folder).values()})
    for made in proposed_in(folder):
        if made.package in apart or not made.answers:
            continue
        sections = {p.title for p in made.answers}
        near = [p for p in made.ranked if p.title not in sections][:RANKED]
        put((otherwise(made.row["query"], rng), *made.wordings), made.answers, near, PROPOSED)
    train.find_near(rankings)
    return train, choose


def overlapping(asked: dict[str, str], texts: dict[str, str]) -> dict[str, list[str]]:
    """For each key of `asked` the texts with the greatest sum of log(N / n) over words in common (n: texts with the
    word); words in more than a twentieth of the texts do not count."""
    holders: dict[str, list[str]] = {}
    for key, text in texts.items():
        for word in set(WORD.findall(text.lower())):
            holders.setdefault(word, []).append(key)
    found = {}
    for key, text in asked.items():
        sums: dict[str, float] = {}
        for word in sorted(set(WORD.findall(text.lower()))):
            held = holders.get(word, [])
            if 0 < len(held) <= max(2, len(texts) // 20):
                for other in held:
                    sums[other] = sums.get(other, 0.0) + math.log(len(texts) / len(held))
        sums.pop(key, None)
        found[key] = sorted(sums, key=lambda other: (-sums[other], other))[:NEAR]
    return found
