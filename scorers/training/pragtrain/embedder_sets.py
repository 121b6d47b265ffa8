"""Retrieval sets of the development data: passages, askings and which passages answer them.

SQuAD sets: a paragraph is a document without a title, as in the product's own benchmark; there is one relevant. Hotpot:
two are needed. Cranfield: gain 5 - grade, as there. TREC-QA: sentences judged for one question are ranked against each
other. Climate claims: every sentence of climate-FEVER; those that support or refute a claim are its evidence.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from .tables import rows_of, text_of

NEW_WIKI = "squad/squadshifts-new_wiki-v1.0.json.gz"
ARTICLES = "squad/squad11-dev-articles-a.tsv.gz"
HOTPOT = ("hotpotqa/pooled-first-500-corpus.jsonl.gz", "hotpotqa/pooled-first-500-queries.jsonl")
CRANFIELD = ("cranfield/cran.all.1400.xml.gz", "cranfield/cran.qry.xml", "cranfield/cranqrel.graded.txt")
TREC_QA = "nli/trecqa/trecqa_dev.tsv"
CLIMATE = "nli/climate_fever/climate_fever.tsv.gz"
MAX_TITLE = 120


@dataclass
class Asked:
    """`gains`: passage id -> gain above 0. `among`: ids that are ranked; None for all. `group`: drawn together."""

    text: str
    gains: dict[str, int]
    group: str
    among: list[str] | None = None


@dataclass
class Ranking:
    passages: dict[str, str] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    # How many relevant passages an asking needs in the first ten to count as found whole; 0: not measured.
    both: int = 0


def titled(title: str, text: str) -> str:
    """As the product's `passageText`."""
    return f"{title[:MAX_TITLE]}: {text}" if title else text


def new_wiki(data: Path) -> Ranking:
    made = Ranking()
    for article in json.loads(text_of(data / NEW_WIKI))["data"]:
        for place, paragraph in enumerate(article["paragraphs"]):
            key = f"{article['title']}#{place}"
            made.passages[key] = paragraph["context"].rstrip()
            made.asked += [Asked(qa["question"].strip(), {key: 1}, article["title"]) for qa in paragraph["qas"]]
    return made


def articles(data: Path) -> Ranking:
    made = Ranking()
    for row in rows_of(data / ARTICLES):
        made.passages[row["docid"]] = row["passage"]
        made.asked.append(Asked(row["query"], {row["docid"]: 1}, row["docid"].split("#")[0]))
    return made


def hotpot(data: Path) -> Ranking:
    corpus, queries = ([json.loads(line) for line in text_of(data / file).splitlines() if line] for file in HOTPOT)
    made = Ranking({row["title"]: titled(row["title"], row["text"]) for row in corpus}, both=2)
    made.asked = [Asked(row["question"], dict.fromkeys(row["gold_titles"], 1), row["id"]) for row in queries]
    return made


def cranfield(data: Path) -> Ranking:
    xml, topics, judged = (text_of(data / file) for file in CRANFIELD)
    made = Ranking()
    for doc in _elements(xml, "doc"):
        made.passages[_first(doc, "docno")] = titled(_first(doc, "title"), _elements(doc, "text")[0].strip())
    made.asked = [Asked(_first(top, "title"), {}, str(i)) for i, top in enumerate(_elements(topics, "top"), 1)]
    for line in judged.splitlines():
        if line.strip():
            query, doc, grade = line.split()
            if grade != "-1":
                made.asked[int(query) - 1].gains[doc] = 5 - int(grade)
    made.asked = [asked for asked in made.asked if asked.gains]
    return made


def trec_qa(data: Path) -> Ranking:
    made, by_question = Ranking(), {}
    for place, row in enumerate(rows_of(data / TREC_QA)):
        made.passages[str(place)] = row["passage"]
        asked = by_question.setdefault(row["qid"], Asked(row["query"], {}, row["qid"], []))
        asked.among.append(str(place))
        if row["label"] == "1":
            asked.gains[str(place)] = 1
    # As usual: questions with nothing to tell apart are left out.
    made.asked = [asked for asked in by_question.values() if 0 < len(asked.gains) < len(asked.among)]
    return made


def climate(data: Path) -> Ranking:
    made, by_claim = Ranking(), {}
    ids: dict[str, str] = {}
    for row in rows_of(data / CLIMATE):
        key = ids.setdefault(row["premise"], str(len(ids)))
        made.passages[key] = row["premise"]
        claim = by_claim.setdefault(row["claim_id"], Asked(row["hypothesis"], {}, row["claim_id"]))
        if row["label"] != "neutral":
            claim.gains[key] = 1
    made.asked = [claim for claim in by_claim.values() if claim.gains]
    return made


SETS = {
    "new-wiki": new_wiki, "articles-a": articles, "hotpot": hotpot, "cranfield": cranfield, "trec-qa": trec_qa,
    "climate": climate,
}  # fmt: skip


def _elements(text: str, tag: str) -> list[str]:
    return [part.split(f"</{tag}>")[0] for part in text.split(f"<{tag}>")[1:]]


def _first(text: str, tag: str) -> str:
    return re.sub(r"\s+", " ", _elements(text, tag)[0]).strip()
