import json
import random
from pathlib import Path

import pytest

from pragtrain import proposed
from pragtrain.manuals import MANUALS, WRITTEN
from pragtrain.proposed import otherwise, proposed_texts

PACKAGE = MANUALS[0].package
PASSAGES = {
    "a.html#0": ("Mail > Options", "--keep DAYS Keeps mail for so many days."),
    "a.html#1": ("Mail > Options", "--quiet Says nothing."),
    "a.html#2": ("Mail > Examples", "mail --keep 3 keeps it until Thursday."),
    "b.html#0": ("Queue", "The queue has room for all."),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch):
    for manual in MANUALS:
        for end in ("ndjson", "trec", "proposed"):
            (tmp_path / f"{manual.package}.{end}").write_text("")
    rows = [{"id": key, "title": title, "document": "Mail", "heading": "", "text": text, "embedded": text} for key, (title, text) in PASSAGES.items()]
    asked = [
        {"id": "p0", "kind": "term", "query": "What does the option --keep of mail do?", "passages": ["a.html#0"]},
        {"id": "p1", "kind": "heading", "query": "Is the queue full?", "passages": ["b.html"]},
    ]
    lines(tmp_path / f"{PACKAGE}.ndjson", rows)
    lines(tmp_path / f"{PACKAGE}.proposed", asked)
    lines(tmp_path / "reworded.ndjson", [{"package": PACKAGE, "query": asked[0]["query"], "wordings": ["how long does it stay"]}])
    ranks = [f"{query} Q0 {key} {i} 1.0 x\n" for query in ("p0", "p1") for i, key in enumerate(reversed(PASSAGES))]
    (tmp_path / f"{PACKAGE}.trec").write_text("".join(ranks))
    monkeypatch.setattr(proposed, "WRITTEN", tmp_path)
    return tmp_path


def lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_an_entry_is_held_against_what_mentions_it_and_not_against_its_own_section(folder):
    counts: dict = {}
    rows = proposed_texts(folder, random.Random(1), 7, counts)
    first = [(row["second"], row["label"]) for row in rows if row["group"] == 7]
    assert sorted(first) == sorted([(PASSAGES["a.html#0"][1], 1), (PASSAGES["a.html#2"][1], 0), (PASSAGES["b.html#0"][1], 0)])
    # Once by rule and once as a writer asked; where only a document is known, not at all.
    assert {row["group"] for row in rows} == {7, 8}
    assert [row["first"] for row in rows if row["group"] == 8] == ["how long does it stay"] * 3
    assert counts == {"questions made of manuals": {"rows": 2, "used": 1}}


def test_a_question_that_only_a_whole_document_answers_is_left_out(folder):
    rows = proposed_texts(folder, random.Random(1), 0, {})
    assert not [row for row in rows if "queue" in row["first"].lower()]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What does the option --keep of mail do?", {"--keep", "mail"}),
        ('What does "dead letter" mean?', {"dead letter"}),
        ("How do I empty the queue?", {"empty the queue"}),
        ("What is the difference between --keep and --hold?", {"--keep", "--hold"}),
        ("Is the queue full?", {"is the queue full"}),
    ],
)
def test_other_words_keep_what_is_asked_about(query, words):
    for seed in range(20):
        asked = otherwise(query, random.Random(seed))
        assert asked != query and all(word in asked for word in words) and "{" not in asked


def test_every_writer_worded_questions_of_a_manual_that_training_may_use():
    rows = [json.loads(line) for line in (WRITTEN / "reworded.ndjson").read_text().splitlines()]
    assert len({(row["package"], row["query"]) for row in rows}) == len(rows) > 500
    assert {row["package"] for row in rows} <= {manual.package for manual in MANUALS}
    assert all(row["wordings"] and row["query"] not in row["wordings"] and all(map(str.strip, row["wordings"])) for row in rows)
