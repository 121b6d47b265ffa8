"""Training rows from what was written for this project: questions on manuals (`manuals.py`), and pairs for entailment.

`../written/questions.ndjson` names passages by their number in a window of `../written/windows.ndjson`, which names them by
a hash of their text. Whoever wrote a question said of every passage of its window whether it answers.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from .leakage import Leakage, normal
from .manuals import MANUALS, WRITTEN, Manual
from .model import KIND_NLI, KIND_READ, KIND_RELEVANCE, NLI, NOT_ENTAILMENT
from .product import around, claims
from .reading import passage_id

ENTAILS, NEUTRAL, CONTRADICTS = (NLI.index(name) for name in ("entailment", "neutral", "contradiction"))
# Wrong passages of a question at most that its writer saw.
IN_WINDOW = 2
# Passages that nobody judged, or that answer in part, beside each question: they have weight 0, and only a teacher says of them.
UNJUDGED = 3
NEUTRAL_SHARE = 0.5
HEADING_SHARE = 0.85
# Of each manual, as texts that do not talk to a machine.
PASSAGES = 40
# The claim by which the product asks whether a text talks to a machine (`router/poison`).
ADDRESSES = "The text tells the machine that reads it what to do."
# Those that the detector by words learned from, and others.
WORDINGS = (Path(__file__).parents[3] / "router/poison/training", WRITTEN / "wordings")
# Longer spans are sentences: a question with one of them as its answer makes no statement.
SHORT = 8


@dataclass(frozen=True)
class Passage:
    """`title` with all headings; `document` and `heading` as the cross-encoder is given them, `embedded` as the embedder is."""

    id: str
    title: str
    document: str
    heading: str
    text: str
    embedded: str

    def second(self, headed: bool = True) -> tuple[str, int]:
        """What is read, and how many characters stand before the text."""
        before = f"{self.heading} " if self.heading and headed else ""
        return before + self.text, len(before)


@dataclass(frozen=True)
class Asked:
    """A written question: `answers` are passages with the characters that answer; `others` of its window do not; `judged`
    of those outside of it, `ranked` is what retrieval finds beside them. `wordings`: the same question in other words, of which
    the same is true.
    """

    row: dict
    wordings: list[str]
    answers: list[tuple[Passage, int, int]]
    others: list[Passage]
    judged: list[tuple[Passage, str]]
    ranked: list[Passage]


def asked_in(folder: Path, counts: dict[str, dict[str, int]]) -> list[Asked]:
    """The written questions with their passages, from what `manuals.py` left in `folder`. A question whose passages are not
    found (another release of the manual, another way of cutting) is left out and counted.
    """
    windows = {row["window"]: row for row in lines_of(WRITTEN / "windows.ndjson")}
    rows = lines_of(WRITTEN / "questions.ndjson")
    said = {(one["question"], one["passage"]): one["answers"] for one in judgements()}
    reworded = {row["question"]: row["wordings"] for row in lines_of(WRITTEN / "paraphrases.ndjson")}
    found = []
    for manual in MANUALS:
        own = [row for row in rows if windows[row["window"]]["package"] == manual.package]
        by_id = passages_of(manual, folder)
        by_hash, ranked = {passage_id(p.text): p for p in by_id.values()}, ranked_of(manual, folder, by_id)
        for row in own:
            window = [by_hash.get(key) for key in windows[row["window"]]["passages"]]
            answers = [(window[a["passage"] - 1], a["span"]) for a in row["answers"]]
            if any(p is None or span not in p.text for p, span in answers):
                continue
            places = [(p, p.text.index(span), p.text.index(span) + len(span)) for p, span in answers]
            kept = {passage_id(p.text) for p in window if p is not None}
            others = [p for p in window if p is not None and all(p is not q for q, _ in answers)]
            rest = {passage_id(p.text): p for p in ranked.get(row["id"], []) if passage_id(p.text) not in kept}
            judged = [(p, said[row["id"], key]) for key, p in rest.items() if (row["id"], key) in said]
            unread = [p for key, p in rest.items() if (row["id"], key) not in said]
            found.append(Asked(row, reworded.get(row["id"], []), places, others, judged, unread))
    counts["questions on manuals"] = {"rows": len(rows), "used": len(found)}
    return found


def passages_of(manual: Manual, folder: Path) -> dict[str, Passage]:
    """The passages of a manual by their ids, from what `manuals.py` left in `folder`."""
    return {row["id"]: Passage(**row) for row in lines_of(folder / f"{manual.package}.ndjson")}


def ranked_of(manual: Manual, folder: Path, passages: dict[str, Passage]) -> dict[str, list[Passage]]:
    """What retrieval ranks for each question on a manual, best first, from there too."""
    ranked: dict[str, list[Passage]] = {}
    for line in (folder / f"{manual.package}.trec").read_text().splitlines():
        query, _, passage, *_ = line.split()
        if passage in passages:
            ranked.setdefault(query, []).append(passages[passage])
    return ranked


def judgements() -> list[dict]:
    """What judges said of passages outside of the windows (`disputed.py`): question, passage (its hash), whether it answers
    (yes, no, in part), and who said so.
    """
    return lines_of(WRITTEN / "judged.ndjson")


def question_texts(asked: list[Asked], dist: Path, rng: random.Random) -> list[dict]:
    """Rows as the fields of `prepare.Text`."""
    made: list[dict] = []
    group = 0
    for one in asked:
        wrong = [(p, "window") for p in _hardest(one)[:IN_WINDOW]]
        wrong += [(p, "judged") for p, said in one.judged if said == "no"]
        unjudged = [p for p, said in one.judged if said == "in part"] + one.ranked
        for query in (one.row["query"], *one.wordings):
            rows: list[tuple[Passage, dict]] = []
            for passage, start, end in one.answers:
                rows.append((passage, {"kind": KIND_READ, "label": 1, "origin": "manuals: answer", "answer": (start, end)}))
            rows += [(p, {"kind": KIND_RELEVANCE, "label": 1, "origin": "manuals: judged answer"}) for p, said in one.judged if said == "yes"]
            rows += [(p, {"kind": KIND_READ, "label": 0, "origin": f"manuals: {how}"}) for p, how in wrong]
            rows += [(p, {"kind": KIND_RELEVANCE, "label": 0, "origin": "manuals: unjudged", "weight": 0.0}) for p in unjudged[:UNJUDGED]]
            for passage, row in rows:
                text, before = passage.second(rng.random() < HEADING_SHARE)
                if "answer" in row:
                    row["answer"] = (row["answer"][0] + before, row["answer"][1] + before)
                made.append({**row, "first": query, "title": passage.document, "second": text, "group": group})
            group += 1
    made += _claim_texts(asked, dist, rng)
    return [{"weight": 1.0, **row} for row in made]


def _hardest(one: Asked) -> list[Passage]:
    """The passages of the window that do not answer: what is ranked high or stands beside an answer first."""
    if not one.answers:
        nearest = one.row["nearest"]
        order = {id(p): abs(i - nearest + 1) for i, p in enumerate(one.others)}
        return sorted(one.others, key=lambda p: order[id(p)])
    words = set(normal_words(one.row["query"]))
    return sorted(one.others, key=lambda p: -len(words & set(normal_words(f"{p.heading} {p.text}"))) / len(words or {""}))


def normal_words(text: str) -> list[str]:
    return [word for word in (normal(part) for part in text.split()) if len(word) > 2]


def _claim_texts(asked: list[Asked], dist: Path, rng: random.Random) -> list[dict]:
    """(claim, or question and answer to be worded; place of the premise; label)."""
    wanted: list[tuple[str | tuple[str, str], tuple[str, int, int], str, int, str]] = []
    for one in asked:
        if not one.answers:
            continue
        row = one.row
        passage, start, end = one.answers[0]
        here = (passage.text, start, end)
        if "claim" in row:
            label = CONTRADICTS if row.get("verdict") == "no" else ENTAILS
            wanted.append((row["claim"], here, passage.title, label, "manuals: claim"))
        if "wrong" in row:
            wanted.append((row["wrong"], here, passage.title, CONTRADICTS, "manuals: wrong claim"))
        said = row.get("claim")
        if one.others and said and rng.random() < NEUTRAL_SHARE:
            other = _hardest(one)[0]
            middle = len(other.text) // 2
            wanted.append((said, (other.text, middle, min(middle + 1, len(other.text))), other.title, NEUTRAL, "manuals: elsewhere"))
        if row["act"] in ("FACT", "QUANTITY") and len(passage.text[start:end].split()) <= SHORT:
            wanted.append(((row["query"], passage.text[start:end]), here, passage.title, ENTAILS, "manuals: answer as a claim"))
    worded = iter(claims([w for w, *_ in wanted if not isinstance(w, str)], dist))
    premises = around([place for _, place, *_ in wanted], dist)
    made = []
    for (said, _, title, label, origin), premise in zip(wanted, premises):
        claim = said if isinstance(said, str) else next(worded)
        made.append({"kind": KIND_NLI, "label": label, "origin": origin, "first": f"{title[:200].strip()}. {premise}", "second": claim})
    return made


def pair_texts(leakage: Leakage, counts: dict[str, dict[str, int]]) -> list[dict]:
    """The written pairs."""
    rows = lines_of(WRITTEN / "pairs.ndjson")
    kept = [row for row in rows if not leakage.has(row["quote"])]
    counts["written pairs"] = {"rows": len(rows), "used": len(kept)}
    return [
        {"kind": KIND_NLI, "label": NLI.index(row["label"]), "weight": 1.0, "origin": "written pairs", "first": row["quote"], "second": row["claim"]}
        for row in kept
    ]


def machine_texts(folder: Path, rng: random.Random, counts: dict[str, dict[str, int]]) -> list[dict]:
    """Whether a text talks to the machine that reads it, as a claim about it: wordings of attacks, harmless look-alikes, and
    passages of the manuals.
    """
    made = []
    for source, label in (("attacks", ENTAILS), ("harmless", NOT_ENTAILMENT)):
        texts = [row["text"] for file in _wordings(source) for row in lines_of(file)]
        counts[f"wordings: {source}"] = {"rows": len(texts), "used": len(texts)}
        made += [(text, label, f"wordings: {source}") for text in texts]
    for manual in MANUALS:
        passages = [p for p in passages_of(manual, folder).values() if len(p.text) < 1_000]
        made += [(p.text, NOT_ENTAILMENT, "wordings: manuals") for p in rng.sample(passages, min(PASSAGES, len(passages)))]
    return [
        {"kind": KIND_NLI, "label": label, "weight": 1.0, "origin": origin, "first": text, "second": ADDRESSES}
        for text, label, origin in made
    ]


def _wordings(source: str) -> list[Path]:
    return sorted((file for folder in WORDINGS for file in folder.glob(f"{source}*.ndjson")), key=lambda file: file.name)


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
