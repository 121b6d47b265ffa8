"""Training rows from questions that the product makes of manuals by rules (`manuals.py`): of the entries of definition lists and
option tables, and of headings that ask or name a deed. Which passage answers is known by how they were made; whoever
mentions the thing in passing, gives an example of it or stands beside it does not. Some stand in `../written/reworded.ndjson` as
one would ask who has not read the manual, by writers who saw the question and the passage.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .manuals import MANUALS, WRITTEN
from .model import KIND_RELEVANCE
from .written import Passage, lines_of, passages_of, ranked_of

ANSWERS = 3
# How many are asked as the product words them.
OWN_WORDS = 0.5
# Wrong passages of a question: from the first that retrieval ranks, and one from anywhere below.
FIRST = 4
BELOW = 1
# What is asked besides in other words, by how the product asks: {0} is the thing, {1} where it belongs.
OTHERWISE = (
    (re.compile(r"What does the option (\S+) of (.+) do\?"),
     ("What is {0} for in {1}?", "What does {0} do in {1}?", "When would I use {0} with {1}?", "what happens if I give {1} the {0} option", "Explain {0} of {1}.")),
    (re.compile(r"What does (?:the option )?\"?([^\"]+?)\"? (?:do|mean)\?"),
     ("What is {0}?", "What is {0} for?", "What does {0} do?", "What is meant by {0}?", "explain {0}", "When would I use {0}?")),
    (re.compile(r"What is (?:an? |the )?(.+?)(?: for)?\?"),
     ("What does {0} do?", "What does {0} mean?", "What is {0} used for?", "explain {0}", "what is {0}")),
    (re.compile(r"How (?:do|can|should) I (.+)\?"),
     ("How can I {0}?", "How to {0}", "What do I have to do to {0}?", "What are the steps to {0}?", "I want to {0}, how does that go?", "Is there a way to {0}?")),
    (re.compile(r"What is the difference between (.+?) and (.+)\?"),
     ("How do {0} and {1} differ?", "{0} or {1}, which is for what?", "{0} vs {1}")),
)  # fmt: skip


@dataclass(frozen=True)
class Proposed:
    """A question made by rules: passages that answer it, what retrieval ranks for it, and what writers made of its words."""

    package: str
    row: dict
    answers: list[Passage]
    ranked: list[Passage]
    wordings: list[str]


def proposed_in(folder: Path) -> Iterator[Proposed]:
    """The questions that `manuals.py` left in `folder`, manual by manual."""
    reworded = {(row["package"], row["query"]): row["wordings"] for row in lines_of(WRITTEN / "reworded.ndjson")}
    for manual in MANUALS:
        passages = passages_of(manual, folder)
        ranked = ranked_of(manual, folder, passages)
        for row in lines_of(folder / f"{manual.package}.proposed"):
            answers = [passages[key] for key in row["passages"] if key in passages]
            yield Proposed(manual.package, row, answers, ranked.get(row["id"], []), reworded.get((manual.package, row["query"]), []))


def proposed_texts(folder: Path, rng: random.Random, first_group: int, counts: dict[str, dict[str, int]]) -> list[dict]:
    """Rows as the fields of `prepare.Text`, from what `manuals.py` left in `folder`; groups are numbered from `first_group` on."""
    made: list[dict] = []
    asked = used = 0
    group = first_group
    for one in proposed_in(folder):
        asked += 1
        wrong = _wrong(one.answers, one.row["passages"], one.ranked, rng)
        if not one.answers or not wrong:
            continue
        used += 1
        asks = one.row["query"] if rng.random() < OWN_WORDS else otherwise(one.row["query"], rng)
        for query in (asks, *one.wordings):
            rows = [(p, 1) for p in rng.sample(one.answers, min(ANSWERS, len(one.answers)))] + [(p, 0) for p in wrong]
            made += [
                {"kind": KIND_RELEVANCE, "label": label, "weight": 1.0, "origin": f"proposed: {one.row['kind']}", "first": query,
                 "title": p.document, "second": p.second()[0], "group": group}
                for p, label in rows
            ]  # fmt: skip
            group += 1
    counts["questions made of manuals"] = {"rows": asked, "used": used}
    return made


def _wrong(answers: list[Passage], keys: list[str], ranked: list[Passage], rng: random.Random) -> list[Passage]:
    """What retrieval ranks and does not answer: nothing of a section or a document that does."""
    sections = {p.title for p in answers}
    others = [p for p in ranked if p.id not in keys and p.id.split("#")[0] not in keys and p.title not in sections]
    below = others[FIRST:]
    return others[:FIRST] + rng.sample(below, min(BELOW, len(below)))


def otherwise(query: str, rng: random.Random) -> str:
    """The question in other words; without its mark and capital where no rule has any."""
    for form, asks in OTHERWISE:
        found = form.fullmatch(query)
        if found is not None:
            return rng.choice(asks).format(*found.groups())
    return query[:1].lower() + query[1:].rstrip("?")
