from pragtrain import reading, untrained
from pragtrain.leakage import Leakage
from pragtrain.sources import Source

HEADER = "label\tquery\tpassage\tqid\tdocid\tanswer_sentence\tanswers"


def test_what_training_saw_is_no_question_here_but_still_a_passage(tmp_path, monkeypatch):
    rows = [f"1\tWho built house number {i}?\tPassage {i % 6} says that Ada built it.\tq{i}\tTale-{i % 6}#0\t\tAda" for i in range(12)]
    (tmp_path / "tales.tsv").write_text("\n".join([HEADER, *rows]) + "\n")
    source = Source("FairytaleQA", "tales.tsv", "", "reading", cap=3)
    for module in (reading, untrained):
        monkeypatch.setattr(module, "SOURCES", (source,))
    monkeypatch.setattr(reading, "TITLED", ("tales",))
    leakage = Leakage(set(), set())
    runs = [reading.questions_of(tmp_path, leakage, seed, {}) for seed in (1, 2)]
    assert [len(run) for run in runs] == [3, 3]
    trained = {q.key: q for run in runs for q in run}.values()
    articles = untrained.untrained(tmp_path, leakage, [1, 2])["data"]
    assert sorted(a["title"] for a in articles) == [f"Tale {i}" for i in range(6)]
    paragraphs = [p for a in articles for p in a["paragraphs"]]
    assert len(paragraphs) == 6
    asked = {p["context"] for p in paragraphs if p["qas"]}
    assert asked and asked == {p["context"] for p in paragraphs} - {q.passage for q in trained}
    assert all(qa["answers"] == [{"text": "Ada"}] for p in paragraphs for qa in p["qas"])
