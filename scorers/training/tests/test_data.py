import json
import random
from pathlib import Path

import pytest

from pragtrain.contracts import contract_rows
from pragtrain.examples import kind_of, place_of, without_answer, wrong_answer
from pragtrain.leakage import Leakage, normal
from pragtrain.mine import hard_negatives
from pragtrain.reading import Question, passage_id, title_of
from pragtrain.sources import DEVELOPMENT, SOURCES, Source, barred, check
from pragtrain.synth import duty_rows, frame_rows, number_rows, overlap_rows
from pragtrain.tables import rows_of, strings_of, unquoted
from pragtrain.unanswerable import names_in, variants

# What shared/data/README.md bars from published weights, by folder or file.
NAMED = (
    "nli/anli/anli_dev.tsv.gz", "nli/xnli_en/xnli_en_dev.tsv.gz", "nli/sick/sick_train.tsv.gz", "nli/imppres/imppres.tsv.gz",
    "nli/averitec/averitec_dev.tsv.gz", "nli/mctest/mctest_statements_train.tsv.gz", "nli/wikiqa/wikiqa_train.tsv.gz",
    "nli/msmarco/msmarco_train_positives.tsv.gz", "nli/qqp/qqp_subset.tsv.gz", "nli/mrpc/mrpc_train.tsv.gz",
    "nli/scifact/scifact_rte_train.tsv", "nli/semiauto_nli/semiauto_train_news.tsv.gz", "qa-train/multispanqa-valid.tsv.gz",
    "nli/hans/hans_eval.tsv.gz", "nli/vitaminc/vitaminc_test_synthetic.tsv.gz",
)  # fmt: skip


@pytest.mark.parametrize("path", [*NAMED, *DEVELOPMENT])
def test_barred_and_held_out_files_cannot_be_sources(path):
    assert barred(path) is not None
    with pytest.raises(ValueError, match="may not be trained on"):
        check((Source("added by mistake", path, "", "nli"),))


def test_the_table_of_sources_is_permitted_and_each_file_stands_once():
    check()
    with pytest.raises(ValueError, match="twice"):
        check((*SOURCES, SOURCES[0]))


def question(**more) -> Question:
    fields = {
        "source": "SQuAD 1.1, 44 articles", "key": "q1", "query": "When was the Old Bridge opened?", "title": "Old Bridge",
        "passage": "The Old Bridge spans the Mara. It was opened in 1932 by the mayor. Before that, people took a ferry that "
        "ran three times a day, in all weather, from the northern bank to the market on the southern bank.",
        "answers": ("1932",), "sentence": "It was opened in 1932 by the mayor.", "group": "Old_Bridge", "place": 0, "weight": 1.0,
    }  # fmt: skip
    return Question(**{**fields, **more})


def test_contracts_give_what_is_marked_and_what_lies_nearest(tmp_path: Path):
    clauses = ("1. Term", "The Recipient shall not copy the Information without consent.", "Copies  may be\nmade for safe keeping of the Information only.",
               "This Agreement is governed by the law of Norway in all its parts.")  # fmt: skip
    text, spans = "", []
    for clause in clauses:
        spans.append([len(text), len(text) + len(clause)])
        text += f"{clause} "
    choices = {"a": ("NotMentioned", []), "b": ("Entailment", [2, 1]), "c": ("Contradiction", [3])}
    told = {
        "documents": [{"id": 7, "text": text, "spans": spans, "annotation_sets": [{"annotations": {k: {"choice": c, "spans": s} for k, (c, s) in choices.items()}}]}],
        "labels": {"a": {"hypothesis": "The Recipient shall return the Information."}, "b": {"hypothesis": "Recipient may copy some Information."}, "c": {"hypothesis": "The law of France governs."}},
    }  # fmt: skip
    file = tmp_path / "contracts.json"
    file.write_text(json.dumps(told))
    rows = contract_rows(file)
    assert [row[0] for row in rows if row[1] == "The Recipient shall return the Information."] == [clauses[1], "Copies may be made for safe keeping of the Information only."]
    assert (f"{clauses[1]} Copies may be made for safe keeping of the Information only.", "Recipient may copy some Information.", "entailment", 1.0) in rows
    assert (clauses[3], "The law of France governs.", "contradiction", 1.0) in rows
    assert [row[2:] for row in rows if row[0] not in ("1. Term",)].count(("neutral", 0.5)) == 2
    told["documents"][0]["annotation_sets"][0]["annotations"]["a"]["choice"] = "Perhaps"
    file.write_text(json.dumps(told))
    with pytest.raises(ValueError, match="contract 7"):
        contract_rows(file)


def test_leakage_finds_a_text_however_it_is_spaced_or_cased(tmp_path: Path):
    file = tmp_path / "dev.tsv"
    file.write_text("label\tpremise\thypothesis\nneutral\tA man, smiling, walks by the sea.\tHe is happy.\n")
    leakage = Leakage.of(tmp_path, ("dev.tsv",))
    assert leakage.has("a man , smiling , walks by the SEA")
    assert not leakage.has("A man walks by the sea, laughing.")
    assert not leakage.has("He is happy."), "hypotheses alone are no leak"
    assert leakage.has_pair("A man, smiling, walks by the sea", "He is happy")
    assert leakage.has_pair("He is happy", "A man, smiling, walks by the sea")
    assert not leakage.has_pair("Another man.", "He is happy")


def test_leakage_reads_json_of_any_depth(tmp_path: Path):
    (tmp_path / "dev.json").write_text('{"data": [{"paragraphs": [{"context": "Oxygen has the atomic number eight."}]}]}')
    (tmp_path / "dev.jsonl").write_text('{"question": "Which river crosses the old town?"}\n{"question": "x"}\n')
    leakage = Leakage.of(tmp_path, ("dev.json", "dev.jsonl"))
    assert leakage.has("Oxygen has the atomic number eight")
    assert leakage.has("which river crosses the old town")
    assert sorted(strings_of(tmp_path / "dev.jsonl")) == ["Which river crosses the old town?", "x"]


def test_tables_refuse_rows_of_another_width_and_undo_csv_quotes(tmp_path: Path):
    file = tmp_path / "x.tsv"
    file.write_text('a\tb\n1\t"He said ""no"" twice."\n')
    assert rows_of(file) == [{"a": "1", "b": 'He said "no" twice.'}]
    assert unquoted('"Yes," she said, "of course"') == '"Yes," she said, "of course"'
    file.write_text("a\tb\n1\n")
    with pytest.raises(ValueError, match="x.tsv:2"):
        rows_of(file)


def test_titles_come_from_article_names_only():
    assert title_of("squad/squad11-train-44-articles.tsv.gz", "Beyonc%C3%A9_Knowles#3") == "Beyoncé Knowles"
    assert title_of("qa-train/squad11-train-raw.tsv.gz", "squad11-train-b5ea#0") == ""


def test_a_hard_negative_never_holds_an_answer():
    asked = question()
    paragraphs = {
        passage_id(asked.passage): ("", asked.passage),
        "a": ("", "The ferry stopped in 1932, too."),
        "b": ("", "The New Bridge was opened in 1950."),
    }
    assert hard_negatives(asked, [passage_id(asked.passage), "a", "b", "gone"], paragraphs) == ["b"]


def test_the_answer_stands_where_its_sentence_is():
    asked = question(passage="In 19320 BC there was nothing. It was opened in 1932 by the mayor.")
    start, end = place_of(asked)
    assert asked.passage[start:end] == "1932" and start > 20
    start, _ = place_of(question(passage="In 19320 BC there was nothing, but in 1932 a bridge.", sentence=""))
    assert start > 20, "a whole word, not part of a longer number"


def test_cutting_the_answers_sentence_leaves_the_rest_or_nothing():
    left = without_answer(question())
    assert left is not None and "1932" not in left and left.startswith("The Old Bridge spans") and "ferry" in left
    assert without_answer(question(passage="It was opened in 1932.", sentence="")) is None
    twice = question().passage + " In 1932 the ferry stopped."
    assert without_answer(question(passage=twice)) is None


def test_spoilt_questions_differ_and_do_not_take_what_the_passage_has():
    asked = question(query="Who opened the Old Bridge before 1940?")
    rng = random.Random(1)
    made = variants(asked.query, asked.passage, ["Grand Palace", "Old Bridge", "Mara"], rng)
    ways = dict(made)
    assert ways["name"] == "Who opened the Grand Palace before 1940?"
    assert ways["number"] != asked.query and "1940" not in ways["number"]
    assert ways["opposite"] == "Who closed the Old Bridge before 1940?" or ways["opposite"].endswith("after 1940?")
    assert all(normal(text) != normal(asked.query) for _, text in made)
    assert names_in("When did the Old Bridge open?", question=True) == ["Old Bridge"]


def test_a_wrong_answer_is_of_the_same_kind_and_shares_no_word():
    assert [kind_of(a) for a in ("1932", "14 May 1932", "1,200", "Maria Lopez", "because it rained")] == [
        "year", "year", "number", "name", "phrase",
    ]  # fmt: skip
    rng = random.Random(1)
    assert wrong_answer(question(), ["the mayor", "1950", "1932"], rng) == ("1950", "year")
    assert wrong_answer(question(), ["the mayor", "Mara"], rng) is None


def test_made_rows_are_the_same_for_a_seed_and_keep_both_labels_in_balance():
    for maker in (overlap_rows, number_rows, duty_rows):
        rows = maker(600, random.Random(5))
        assert rows == maker(600, random.Random(5)) and len(rows) == 600
        share = sum(label == "entailment" for _, _, label in rows) / 600
        assert 0.25 < share < 0.6, (maker.__name__, share)
        assert all(p.endswith(".") and h.endswith(".") for p, h, _ in rows)
        assert all(label == "entailment" for p, h, label in rows if p == h)


def test_swapped_roles_are_not_entailed():
    rows = overlap_rows(2_000, random.Random(2))
    labels = {}
    for premise, hypothesis, label in rows:
        assert labels.setdefault((premise, hypothesis), label) == label, "one pair, one label"
    words = [(set(p.lower().strip(".").split()), set(h.lower().strip(".").split()), label) for p, h, label in rows]
    inside = [label for p, h, label in words if h <= p | {"was", "were", "by"}]
    assert 0.35 < sum(label == "entailment" for label in inside) / len(inside) < 0.65


def test_frames_hold_the_sentence_and_say_what_follows():
    rows = frame_rows(300, ["A dog runs.", "Two men sit."], random.Random(1))
    assert {label for *_, label in rows} == {"entailment", "contradiction", "not_entailment"}
    for premise, hypothesis, label in rows:
        assert hypothesis.rstrip(".").lower() in premise.lower()
        if premise.startswith(("If ", "Unless ")):
            assert label == "not_entailment"


def test_number_rows_hold():
    for premise, hypothesis, label in number_rows(800, random.Random(3)):
        if "more than" in hypothesis and "founded" not in premise:
            given = int("".join(c for c in premise if c.isdigit()))
            bound = int("".join(c for c in hypothesis if c.isdigit()))
            assert label == ("entailment" if given > bound else "contradiction")
