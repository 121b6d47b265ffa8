"""Training rows made from questions with answers: spans, hard negatives, unanswerable questions, claims."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from .leakage import Leakage, normal
from .mine import hard_negatives
from .model import KIND_NLI, KIND_READ, KIND_SPAN_ONLY, NOT_ENTAILMENT
from .own_answers import OwnAnswer
from .product import around, claims
from .reading import Question, paragraphs_of
from .sources import Source
from .tables import rows_of
from .unanswerable import names_in, variants

# How often each kind of row is made from a question that allows it.
SHARE = {"hard": 0.85, "neighbour": 0.16, "spoilt": 0.36, "cut": 0.13}
CLAIM_SHARE = {"right": 0.3, "wrong": 0.36, "elsewhere": 0.2, "spoilt": 0.09}
TITLE_SHARE = 0.7
ENTAILS, NEUTRAL, CONTRADICTS = 0, 1, 2
SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])")


def from_questions(
    questions: list[Question],
    ranked: dict[str, list[str]],
    answered: list[OwnAnswer],
    yesno: list[Source],
    data: Path,
    dist: Path,
    leakage: Leakage,
    seed: int,
    counts: dict[str, dict[str, int]],
) -> Iterator[dict]:
    """Rows as the fields of `prepare.Text`."""
    paragraphs = paragraphs_of(questions)
    rng = random.Random(f"{seed}:questions")
    names = _names_by_group(questions)
    yield from _reading_rows(questions, ranked, paragraphs, names, rng)
    yield from _claim_rows(questions, ranked, paragraphs, names, answered, dist, random.Random(f"{seed}:claims"))
    for source in yesno:
        yield from _yesno_rows(source, data, dist, leakage, random.Random(f"{seed}:{source.name}"), counts)


def place_of(question: Question) -> tuple[int, int]:
    """Characters of the first answer: inside the sentence that is said to hold it, else the first whole word."""
    passage, answer = question.passage, question.answers[0]
    at = passage.find(question.sentence) if question.sentence else -1
    if at >= 0:
        inside = question.sentence.find(answer)
        if inside >= 0:
            return at + inside, at + inside + len(answer)
    whole = re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", passage)
    at = whole.start() if whole else passage.find(answer)
    return at, at + len(answer)


def _title(title: str, rng: random.Random) -> str:
    return title if rng.random() < TITLE_SHARE else ""


def _names_by_group(questions: list[Question]) -> dict[str, list[str]]:
    """Names to swap in: from the same article where articles are known, else from the same set."""
    found: dict[str, set[str]] = {}
    for question in questions:
        key = question.group if question.place >= 0 and question.title else question.source
        kept = found.setdefault(key, set())
        if len(kept) < 4_000:
            kept.update(names_in(question.passage))
    return {key: sorted(names) for key, names in found.items()}


def _names_for(question: Question, names: dict[str, list[str]], rng: random.Random) -> list[str]:
    near = names.get(question.group) if question.title else None
    pool = near if near and len(near) >= 20 else names.get(question.source, [])
    return rng.sample(pool, min(len(pool), 60))


def _reading_rows(
    questions: list[Question],
    ranked: dict[str, list[str]],
    paragraphs: dict[str, tuple[str, str]],
    names: dict[str, list[str]],
    rng: random.Random,
) -> Iterator[dict]:
    by_place = {(q.group, q.place): q.passage for q in questions if q.place >= 0 and q.title}
    for question in questions:
        base = {"weight": question.weight, "first": question.query}
        title = _title(question.title, rng)
        own = {**base, "title": title, "second": question.passage}
        yield {**own, "kind": KIND_READ, "label": 1, "origin": f"{question.source}: answer", "answer": place_of(question)}
        hard = hard_negatives(question, ranked.get(question.key, []), paragraphs)
        if hard and rng.random() < SHARE["hard"]:
            # The higher the rank, the likelier: half of the draws fall on the first three or so.
            other, text = paragraphs[hard[min(int(rng.expovariate(0.25)), len(hard) - 1)]]
            yield {**base, "kind": KIND_READ, "label": 0, "origin": f"{question.source}: mined negative",
                   "title": _title(other, rng), "second": text}  # fmt: skip
        if question.place >= 0 and question.title and rng.random() < SHARE["neighbour"]:
            text = by_place.get((question.group, question.place + rng.choice([-2, -1, 1, 2])))
            if text is not None and not _holds(text, question.answers):
                yield {**base, "kind": KIND_READ, "label": 0, "origin": f"{question.source}: neighbour",
                       "title": title, "second": text}  # fmt: skip
        if rng.random() < SHARE["spoilt"]:
            made = variants(question.query, question.passage, _names_for(question, names, rng), rng)
            if made:
                how, text = rng.choice(made)
                yield {**own, "first": text, "kind": KIND_SPAN_ONLY, "label": 0, "origin": f"unanswerable: {how}"}
        if rng.random() < SHARE["cut"]:
            left = without_answer(question)
            if left is not None:
                yield {**own, "second": left, "kind": KIND_SPAN_ONLY, "label": 0, "origin": "unanswerable: sentence cut"}


def _holds(text: str, answers: tuple[str, ...]) -> bool:
    held = normal(text)
    return any(normal(answer) in held for answer in answers if normal(answer))


def without_answer(question: Question) -> str | None:
    """The passage less the sentence with the answer; None where too little or another mention of it is left."""
    start, end = place_of(question)
    bounds = [0, *(m.end() for m in SENTENCE_END.finditer(question.passage)), len(question.passage)]
    first = max(b for b in bounds if b <= start)
    last = min(b for b in bounds if b >= end)
    left = f"{question.passage[:first].rstrip()} {question.passage[last:]}".strip()
    if len(left.split()) < 30 or _holds(left, question.answers):
        return None
    return left


KINDS = (
    ("year", re.compile(r"^(?:in |on )?(?:\w+ \d{1,2}, |\d{1,2} \w+ |\w+ )?(?:1\d|20)\d\d$")),
    ("number", re.compile(r"^(?:about |around |over |nearly )?[$£€]?\d[\d,.]*(?:%| percent| \w+)?$")),
    ("words", re.compile(r"^(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundreds?|thousands?)$", re.I)),
    ("name", re.compile(r"^(?:the |The )?[A-Z][\w'’.-]*(?: (?:of |the |de |von |and )?[A-Z][\w'’.-]*){0,4}$")),
)  # fmt: skip


def kind_of(answer: str) -> str:
    return next((name for name, pattern in KINDS if pattern.match(answer)), "phrase")


def wrong_answer(question: Question, rivals: list[str], rng: random.Random) -> tuple[str, str] | None:
    """Another answer of the same kind that has no word in common with the right ones, and that kind."""
    right = question.answers[0]
    kind = kind_of(right)
    taken = {word for answer in question.answers for word in re.findall(r"\w+", answer.lower())}
    taken |= set(re.findall(r"\w+", question.query.lower()))
    fit = [
        rival
        for rival in rivals
        if kind_of(rival) == kind
        and not taken & set(re.findall(r"\w+", rival.lower()))
        and (kind != "phrase" or 0.4 < len(rival) / len(right) < 2.5)
    ]
    return (rng.choice(fit), kind) if fit else None


def _claim_rows(
    questions: list[Question],
    ranked: dict[str, list[str]],
    paragraphs: dict[str, tuple[str, str]],
    names: dict[str, list[str]],
    answered: list[OwnAnswer],
    dist: Path,
    rng: random.Random,
) -> Iterator[dict]:
    by_passage: dict[str, list[str]] = {}
    by_group: dict[str, list[str]] = {}
    for question in questions:
        by_passage.setdefault(question.passage, []).append(question.answers[0])
        by_group.setdefault(question.group, []).append(question.answers[0])
    # (question, answer), the place of the premise, its title, label, origin
    wanted: list[tuple[tuple[str, str], tuple[str, int, int], str, int, str]] = []
    for question in questions:
        start, end = place_of(question)
        here = (question.passage, start, end)
        right = question.answers[0]
        if len(right.split()) > 12:
            continue
        if rng.random() < CLAIM_SHARE["right"]:
            wanted.append(((question.query, right), here, question.title, ENTAILS, "claim: right answer"))
        if rng.random() < CLAIM_SHARE["wrong"]:
            found = wrong_answer(question, by_passage[question.passage], rng) or wrong_answer(question, by_group[question.group], rng)
            if found is not None:
                # Names, numbers and years exclude each other; of other phrases two may both be true.
                label = NOT_ENTAILMENT if found[1] == "phrase" else CONTRADICTS
                wanted.append(((question.query, found[0]), here, question.title, label, "claim: wrong answer"))
        if rng.random() < CLAIM_SHARE["elsewhere"]:
            hard = hard_negatives(question, ranked.get(question.key, []), paragraphs)
            if hard:
                title, text = paragraphs[hard[min(int(rng.expovariate(0.3)), len(hard) - 1)]]
                wanted.append(((question.query, right), (text, *_nearest(question.query, text)), title, NEUTRAL, "claim: elsewhere"))
        if rng.random() < CLAIM_SHARE["spoilt"]:
            made = variants(question.query, question.passage, _names_for(question, names, rng), rng)
            made = [text for how, text in made if how in ("name", "number", "opposite")]
            if made:
                wanted.append(((rng.choice(made), right), here, question.title, NOT_ENTAILMENT, "claim: spoilt question"))
    for given in answered:
        label, how = (ENTAILS, "right") if given.right else (NOT_ENTAILMENT, "wrong" if given.own else "elsewhere")
        wanted.append(((given.question, given.said), given.place, given.title, label, f"claim: a reader's answer, {how}"))
    said = claims([pair for pair, *_ in wanted], dist)
    premises = around([place for _, place, *_ in wanted], dist)
    for (_, _, title, label, origin), claim, premise in zip(wanted, said, premises):
        shown = _title(title, rng)
        text = f"{shown}. {premise}" if shown else premise
        yield {"kind": KIND_NLI, "label": label, "weight": 1.0, "origin": origin, "first": text, "second": claim}


def _nearest(query: str, text: str) -> tuple[int, int]:
    """Characters of the sentence that shares most words with the question."""
    asked = set(re.findall(r"\w{3,}", query.lower()))
    bounds = [0, *(m.end() for m in SENTENCE_END.finditer(text)), len(text)]
    spans = [(s, e) for s, e in zip(bounds, bounds[1:]) if e > s] or [(0, len(text))]
    start, end = max(spans, key=lambda span: len(asked & set(re.findall(r"\w{3,}", text[span[0] : span[1]].lower()))))
    # Some characters inside it: the product cuts round a span, not round a sentence.
    middle = (start + end) // 2
    return middle, min(middle + 1, end)


def _yesno_rows(
    source: Source, data: Path, dist: Path, leakage: Leakage, rng: random.Random, counts: dict
) -> Iterator[dict]:
    rows = [r for r in rows_of(data / source.path) if not leakage.has(r["question"], r["passage"])]
    counts[source.name] = {"rows": len(rows), "used": len(rows)}
    given = [(f"{row['question']}?", answer) for row in rows for answer in ("yes", "no")]
    said = claims(given, dist)
    for i, row in enumerate(rows):
        for answer, claim in zip(("yes", "no"), said[2 * i : 2 * i + 2]):
            if claim.startswith("The answer to") or rng.random() < 0.4:
                continue
            holds = (row["label"] == "true") == (answer == "yes")
            title = _title(row["title"], rng)
            text = f"{title}. {row['passage']}" if title else row["passage"]
            yield {"kind": KIND_NLI, "label": ENTAILS if holds else CONTRADICTS, "weight": source.weight,
                   "origin": source.name, "first": text, "second": claim}  # fmt: skip
