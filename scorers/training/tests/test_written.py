import json
import random
from collections import Counter
from pathlib import Path

import pytest

from pragtrain import written
from pragtrain.manuals import KEPT_APART, MANUALS, PAGES, QUESTIONS, WINDOWS
from pragtrain.model import KIND_NLI, KIND_READ, KIND_RELEVANCE, NLI
from pragtrain.reading import passage_id
from pragtrain.written import CONTRADICTS, ENTAILS, asked_in, question_texts

ROWS = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
WINDOW = {row["window"]: row for row in map(json.loads, WINDOWS.read_text().splitlines())}
TEXTS = ["The queue keeps mail for five days.", "The log is at /var/log/mail.", "Mail may be of any size.", "Queues are read at start."]


def test_every_written_question_names_passages_of_its_window():
    assert len({row["query"] for row in ROWS}) > 0.99 * len(ROWS)
    for row in ROWS:
        numbers = range(1, len(WINDOW[row["window"]]["passages"]) + 1)
        assert all(a["passage"] in numbers and a["span"].strip() for a in row["answers"])
        assert row["answers"] or row["nearest"] in numbers
        assert row.get("verdict") in (None, "yes", "no")


def test_nothing_is_learned_from_manuals_that_are_judged_or_kept():
    packages = {row["package"] for row in WINDOW.values()} | {line.split(" ")[0] for line in PAGES.read_text().splitlines()}
    assert packages == {manual.package for manual in MANUALS}
    assert not [package for package in packages if package.startswith(KEPT_APART)]


def test_every_judgement_is_of_a_written_question_and_stands_once():
    rows = [json.loads(line) for line in (QUESTIONS.parent / "judged.ndjson").read_text().splitlines()]
    assert {row["answers"] for row in rows} == {"yes", "no", "in part"}
    assert {row["question"] for row in rows} <= {row["id"] for row in ROWS if row["answers"]}
    assert max(Counter((row["question"], row["passage"]) for row in rows).values()) == 1


def test_every_written_pair_has_a_label_and_stands_once():
    rows = [json.loads(line) for line in (QUESTIONS.parent / "pairs.ndjson").read_text().splitlines()]
    assert {row["label"] for row in rows} == set(NLI)
    assert max(Counter((row["quote"], row["claim"]) for row in rows).values()) == 1


def test_further_wordings_are_two_a_question_and_other_than_its_own():
    rows = [json.loads(line) for line in (QUESTIONS.parent / "paraphrases.ndjson").read_text().splitlines()]
    queries = {row["id"]: row["query"] for row in ROWS}
    assert len({row["question"] for row in rows}) == len(rows) and {row["question"] for row in rows} <= set(queries)
    assert all(len({*row["wordings"], queries[row["question"]]}) == 3 and all(map(str.strip, row["wordings"])) for row in rows)


def judged(folder: Path, rows: list[dict]) -> None:
    (folder / "judged.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A manual of four passages and three questions on it, as `manuals.py` leaves them."""
    package = MANUALS[0].package
    for manual in MANUALS:
        (tmp_path / f"{manual.package}.ndjson").write_text("")
        (tmp_path / f"{manual.package}.trec").write_text("")
    passages = [{"id": f"a#{i}", "title": "Mail > Queue", "document": "Mail", "heading": "Queue:", "text": t, "embedded": t} for i, t in enumerate(TEXTS)]
    (tmp_path / f"{package}.ndjson").write_text("".join(json.dumps(p) + "\n" for p in passages))
    (tmp_path / f"{package}.trec").write_text("q1 Q0 a#3 1 0.9 x\nq1 Q0 a#0 2 0.8 x\n")
    monkeypatch.setattr(written, "WRITTEN", tmp_path)
    window = {"window": "w", "package": package, "passages": [passage_id(t) for t in TEXTS[:3]]}
    (tmp_path / "windows.ndjson").write_text(json.dumps(window) + "\n")
    rows = [
        {"id": "q1", "window": "w", "act": "QUANTITY", "query": "how long is mail kept", "answers": [{"passage": 1, "span": "five days"}],
         "claim": "Undelivered mail is kept for five days.", "wrong": "Undelivered mail is kept for nine days."},
        {"id": "q2", "window": "w", "act": "FACT", "query": "Who reads the log?", "answers": [], "nearest": 2},
        {"id": "q3", "window": "w", "act": "FACT", "query": "Is it here?", "answers": [{"passage": 1, "span": "of another release"}]},
    ]  # fmt: skip
    judged(tmp_path, [])
    (tmp_path / "paraphrases.ndjson").write_text(json.dumps({"question": "q1", "wordings": ["for how many days", "mail stays, until when?"]}) + "\n")
    (tmp_path / "questions.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    counts: dict = {}
    found = asked_in(tmp_path, counts)
    assert counts == {"questions on manuals": {"rows": 3, "used": 2}}
    return found


def worded(monkeypatch):
    monkeypatch.setattr(written, "claims", lambda pairs, dist: [f"{q} {a}." for q, a in pairs])
    monkeypatch.setattr(written, "around", lambda places, dist: [text for text, _, _ in places])


def test_answers_are_marked_behind_the_heading_and_others_are_wrong(asked, monkeypatch):
    worded(monkeypatch)
    rows = [r for r in question_texts(asked, Path("dist"), random.Random(1)) if r["kind"] == KIND_READ]
    rows = [r for r in rows if r["first"] in ("how long is mail kept", "Who reads the log?")]
    (right,) = [r for r in rows if r["label"] == 1]
    assert right["second"][slice(*right["answer"])] == "five days"
    assert right["title"] == "Mail"
    # Of the near miss the nearest first.
    assert Counter(r["origin"] for r in rows) == {"manuals: answer": 1, "manuals: window": 4}


def test_what_nobody_judged_is_for_a_teacher_and_every_wording_has_the_same_passages(asked, monkeypatch):
    worded(monkeypatch)
    rows = [r for r in question_texts(asked, Path("dist"), random.Random(1)) if r["kind"] != KIND_NLI]
    assert [r["second"][-len(TEXTS[3]) :] for r in rows if r["weight"] == 0] == [TEXTS[3]] * 3
    by_query = {q: Counter(r["origin"] for r in rows if r["first"] == q) for q in {r["first"] for r in rows}}
    assert by_query["how long is mail kept"] == by_query["for how many days"] == by_query["mail stays, until when?"]
    assert len({r["group"] for r in rows}) == len(by_query) == 4


@pytest.mark.parametrize("said", ["yes", "no", "in part"])
def test_what_was_judged_is_taken_as_it_was_judged(asked, tmp_path, monkeypatch, said):
    worded(monkeypatch)
    judged(tmp_path, [{"question": "q1", "passage": passage_id(TEXTS[3]), "answers": said, "judge": "a"}])
    rows = question_texts(asked_in(tmp_path, {}), Path("dist"), random.Random(1))
    of_it = [(r["kind"], r["label"], r["group"], r["weight"]) for r in rows if r["second"].endswith(TEXTS[3]) and r["kind"] != KIND_NLI]
    # Only in part: neither an answer nor a wrong passage, so a teacher's.
    kind, label, weight = {"yes": (KIND_RELEVANCE, 1, 1), "no": (KIND_READ, 0, 1), "in part": (KIND_RELEVANCE, 0, 0)}[said]
    assert of_it == [(kind, label, group, weight) for group in range(3)]


def test_claims_are_entailed_by_the_passage_and_wrong_ones_contradicted(asked, monkeypatch):
    worded(monkeypatch)
    rows = [r for r in question_texts(asked, Path("dist"), random.Random(1)) if r["kind"] == KIND_NLI]
    labels = {r["second"]: r["label"] for r in rows if r["origin"] != "manuals: elsewhere"}
    assert labels == {
        "Undelivered mail is kept for five days.": ENTAILS,
        "Undelivered mail is kept for nine days.": CONTRADICTS,
        "how long is mail kept five days.": ENTAILS,
    }
    assert all(r["first"].startswith("Mail > Queue. ") for r in rows)
