import dataclasses
import json
import math
import random
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from pragtrain import embedder_pool, embedder_sources, proposed, written
from pragtrain.embedder import Embedder, between, graph
from pragtrain.embedder_export import choose, differences, export, tuned_of
from pragtrain.embedder_pool import Pool, overlapping
from pragtrain.embedder_rows import Maker, clusters, load, save
from pragtrain.embedder_sets import Asked, Ranking
from pragtrain.embedder_teachers import embed, fitted, likelihood
from pragtrain.embedder_train import Config, EmbedderRun, losses_of
from pragtrain.evaluate_embedder import figures, measure, scores
from pragtrain.export import quantise
from pragtrain.manuals import MANUALS
from pragtrain.model import Shape
from pragtrain.reading import passage_id
from pragtrain.running import alone, session
from pragtrain.sequences import Words
from pragtrain.smoothing import peaks, shares, smoothed
from pragtrain.sources import Source

TOKENIZER = Path(__file__).parents[2] / "models/bert-uncased/tokenizer.json"
SMALL = Shape(layers=2, width=32, heads=4, inner=64, vocabulary=30_522, positions=256, exit=0)


@pytest.fixture(scope="module")
def words() -> Words:
    return Words(TOKENIZER)


def small(seed: int = 1) -> Embedder:
    torch.manual_seed(seed)
    return Embedder(SMALL).eval()


def pool() -> Pool:
    made = Pool()
    for i, (town, river) in enumerate([("Arden", "Mara"), ("Belle", "Tarn"), ("Corvo", "Leen"), ("Dunmo", "Osk")] * 3):
        passage = f"{town} number {i} lies on the {river}, and its old market was burnt in the year {1400 + i}."
        made.add(f"Which river is town {i} on?", town, passage, (river,), "x")
        made.add(f"When was market {i} burnt?", town, passage, (str(1400 + i),), "x")
    made.find_near({key: [[other for other in made.passages if other != key]] for key in made.passages})
    return made


def test_barred_files_cannot_be_sources_of_the_embedder(monkeypatch):
    embedder_sources.check()
    assert "climate" not in json.dumps([s.path for n, s in embedder_sources.TABLE.items() if n in embedder_sources.QUESTIONS])
    held = Source("SelQA", "nli/wikiqa/wikiqa_train.tsv.gz", "", "relevance")
    monkeypatch.setitem(embedder_sources.TABLE, "SelQA", held)
    with pytest.raises(ValueError, match="SelQA may not be trained on"):
        embedder_sources.check()


def test_clusters_hold_every_passage_once_as_new():
    keys = [str(i) for i in range(50)]
    near = {key: [str((int(key) + step) % 50) for step in (1, 2, 3, 4)] for key in keys}
    made = clusters(near, keys, random.Random(1))
    assert sorted(key for _, fresh in made for key in fresh) == sorted(keys)
    for cluster, fresh in made:
        assert len(set(cluster)) == len(cluster) <= 8 and set(fresh) <= set(cluster)
        assert set(cluster[1:]) <= set(near[cluster[0]]) and len(cluster) - len(fresh) <= 3
    assert made == clusters(near, keys, random.Random(1))


def test_batches_name_gold_passages_and_block_those_that_hold_the_answer(words, tmp_path):
    given = pool()
    maker = Maker(words, seed=1, tokens=150)
    batches = [batch for turn in maker.batches("x", given, passes=2) for batch in turn]
    asked = [number for batch in batches for number in batch.askings.tolist()]
    assert len(set(asked)) >= 20, "nearly every question, the rest of a pass may not fill a batch"
    river = {q.text: q.answers[0] for q in given.askings}
    for batch in batches:
        assert len(set(batch.passages.tolist())) == len(batch.passages)
        blocked = set(map(tuple, batch.blocked.tolist()))
        for row, (asking, gold) in enumerate(zip(batch.askings, batch.gold)):
            answer = river[maker.texts[asking]]
            for column, passage in enumerate(batch.passages):
                holds = answer in passage_text(maker.texts[passage])
                assert ((row, column) in blocked) == (holds and column != gold)
            assert answer in passage_text(maker.texts[batch.passages[gold]])
    texts = maker.encoded()
    save(tmp_path / "rows.npz", texts, batches)
    again, read = load(tmp_path / "rows.npz")
    assert (again.ids == texts.ids).all() and len(read) == len(batches)
    for one, two in zip(batches, read):
        assert all(np.array_equal(getattr(one, f.name), getattr(two, f.name)) for f in dataclasses.fields(one))
    ids, mask = again.padded(batches[0].askings, [words.cls], words.sep)
    assert (ids[:, 0] == words.cls).all() and mask.sum(1).tolist() == (again.lengths[batches[0].askings] + 2).tolist()


def passage_text(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def test_questions_on_manuals_stand_beside_what_retrieval_ranks_and_those_on_manuals_apart_are_chosen_on(tmp_path, monkeypatch):
    first, second = MANUALS[:2]
    for manual in MANUALS:
        for end in ("ndjson", "trec", "proposed"):
            (tmp_path / f"{manual.package}.{end}").write_text("")
    texts = ["Mail stays for five days.", "Mail is sorted at night.", "The queue is a folder.", "Logs are kept."]
    for manual in (first, second):
        rows = [{"id": f"a#{i}", "title": f"Mail > {i}", "document": "Mail", "heading": "", "text": t, "embedded": f"{manual.package}: {t}"} for i, t in enumerate(texts)]
        lines(tmp_path / f"{manual.package}.ndjson", rows)
    (tmp_path / f"{first.package}.trec").write_text("q0 Q0 a#3 1 0.9 x\np0 Q0 a#1 1 0.9 x\np0 Q0 a#2 2 0.8 x\n")
    lines(tmp_path / f"{first.package}.proposed", [{"id": "p0", "kind": "term", "query": "What is the queue?", "passages": ["a#2"]}])
    packages = [manual.package for manual in (first, second)]
    lines(tmp_path / "windows.ndjson", [{"window": p, "package": p, "passages": [passage_id(t) for t in texts[:2]]} for p in packages])
    asked = [{"id": f"q{i}", "window": p, "act": "QUANTITY", "query": f"How long, {i}?", "answers": [{"passage": 1, "span": "five days"}]} for i, p in enumerate(packages)]
    lines(tmp_path / "questions.ndjson", asked)
    lines(tmp_path / "judged.ndjson", [{"question": "q0", "passage": passage_id(texts[3]), "answers": "in part"}])
    lines(tmp_path / "paraphrases.ndjson", [{"question": "q0", "wordings": ["until when is it here"]}])
    lines(tmp_path / "reworded.ndjson", [{"package": first.package, "query": "What is the queue?", "wordings": ["where does mail wait"]}])
    for room in (written, proposed, embedder_pool):
        monkeypatch.setattr(room, "WRITTEN", tmp_path)
    monkeypatch.setattr(random.Random, "sample", lambda self, some, count: [second.package] if second.package in some else list(some)[:count])
    train, choose = embedder_pool._manuals(tmp_path, 1, {})
    key = {text: passage_id(f"{first.package}: {text}") for text in texts}
    by_text = {asking.text: asking.gold for asking in train.askings}
    assert by_text["How long, 0?"] == by_text["until when is it here"] == (key[texts[0]], key[texts[3]]), "what answers in part is no negative"
    assert by_text["where does mail wait"] == (key[texts[2]],)
    assert train.near[key[texts[0]]] == [key[texts[1]]] and train.near[key[texts[2]]] == [key[texts[1]]]
    assert [asking.text for asking in choose.askings] == ["How long, 1?"] and len(choose.passages) == len(texts)


def lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_near_sentences_share_rare_words():
    texts = {"a": "The Osk flows by Arden.", "b": "Arden burnt in May.", "c": "The king left in May.", "d": "A dog barks."}
    found = overlapping({"a": "Arden lies on the Osk"}, texts)
    assert found["a"][0] == "b" and "d" not in found["a"] and "a" not in found["a"]


def test_a_vector_has_length_one_and_does_not_depend_on_padding():
    model = small()
    ids = torch.randint(1000, 30_000, (1, 9))
    alone = model(ids, torch.ones_like(ids))
    padded = model(torch.cat([ids, torch.zeros(1, 5, dtype=torch.long)], 1), torch.tensor([[1] * 9 + [0] * 5]))
    assert torch.allclose(alone, padded, atol=1e-5)
    assert torch.allclose(alone.norm(dim=1), torch.ones(1), atol=1e-6)
    first = Embedder(SMALL, first=True).eval()
    first.load_state_dict(model.state_dict())
    assert torch.allclose(first(ids, torch.ones_like(ids)), torch.nn.functional.normalize(model.tokens(ids, torch.ones_like(ids))[:, 0], dim=-1))  # fmt: skip


def sequences(count: int = 8) -> list[list[int]]:
    rng = np.random.default_rng(3)
    return [rng.integers(1000, 30_000, 12).tolist() for _ in range(count)]


def test_the_graphs_give_what_torch_gives_and_multiply_in_int8(tmp_path):
    model = small()
    record = export(model, tmp_path, sequences())
    assert record["differences"]["torch and float graph"] > 0.9999
    assert record["differences"]["float and int8 (random words)"] > 0.98
    made = onnx.load(tmp_path / "embedder.int8.onnx")
    assert sum(n.op_type == "MatMulInteger" for n in made.graph.node) == 6 * SMALL.layers
    assert {i.name for i in made.graph.input} == {"input_ids", "attention_mask", "token_type_ids"}
    assert [o.name for o in made.graph.output] == ["last_hidden_state"]
    spoilt = small(2)
    with pytest.raises(RuntimeError, match="torch and float graph"):
        differences(spoilt, tmp_path)


def test_weights_between_trunk_and_tuned_end_at_both():
    trunk, tuned = small(1).state_dict(), small(2).state_dict()
    for share, wanted in ((0.0, trunk), (1.0, tuned)):
        assert all(torch.allclose(a, wanted[name]) for name, a in between(trunk, tuned, share).items())
    half = between(trunk, tuned, 0.5)["norm.weight"]
    assert torch.allclose(half, (trunk["norm.weight"] + tuned["norm.weight"]) / 2)


def test_an_exported_graph_is_a_tuned_end_too(tmp_path):
    model = small(3)
    export(model, tmp_path, sequences())
    wanted = model.state_dict()
    for kind, slack in (("float", 0.0), ("int8", 0.03)):
        found = tuned_of(tmp_path / f"embedder.{kind}.onnx")
        assert list(found) == list(wanted)
        assert all((found[name] - one).abs().max() <= slack * one.abs().max() for name, one in wanted.items())


def test_evened_out_the_graph_is_the_same_in_float():
    model = small(4)
    plain = graph({name: tensor.numpy() for name, tensor in model.state_dict().items()}, SMALL)
    seen = peaks(plain, sequences())
    assert len(seen) == 3 * SMALL.layers, "before q, k and v together, up and down; nothing takes the last norm"
    before = plain.SerializeToString()
    even = smoothed(plain, seen)
    assert plain.SerializeToString() == before, "the graph that was given stays as it is"
    one, other = session(before), session(even.SerializeToString())
    for pieces in sequences():
        given = alone(pieces)
        assert np.allclose(one.run(None, given)[0], other.run(None, given)[0], atol=1e-4)


def test_a_large_channel_no_longer_uses_up_the_steps_of_int8():
    rng = np.random.default_rng(1)
    x, matrix = (rng.normal(size=size).astype(np.float32) for size in ((40, 16), (16, 8)))
    x[:, 5] *= 50
    matrix[5] /= 50
    given, wanted = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, width]) for name, width in (("x", 16), ("y", 8)))
    product = helper.make_node("MatMul", ["x", "w"], ["y"], name="y")
    plain = helper.make_model(
        helper.make_graph([product], "g", [given], [wanted], [numpy_helper.from_array(matrix, "w")]),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
    )  # fmt: skip
    even = smoothed(plain, {"x": np.abs(x).max(0)})
    lost = [np.abs(session(quantise(one).SerializeToString()).run(None, {"x": x})[0] - x @ matrix).mean() for one in (plain, even)]
    assert lost[1] < lost[0] / 5
    made = quantise(even).graph
    values = {i.name: numpy_helper.to_array(i) for i in made.initializer}
    back = values["w.int8"] * values["w.scale"] * shares(made, values)["w.int8"][:, None]
    assert np.abs(back - matrix).max() < 0.02


def test_the_share_is_that_of_the_best_sets(words):
    model, other = small(1), small(2)
    sets = {"x": {"passages": {"a": "red apples", "b": "cold rivers", "c": "old towns"}, "askings": [["cold rivers", ["b"]], ["old towns", ["c"]]]}}
    share, told = choose(model.state_dict(), other.state_dict(), SMALL, sets, words)
    assert list(told) == ["0.0", "0.25", "0.5", "0.75", "1.0"]
    assert all(found["x"] == 1.0 for found in told.values()), "a text is nearest to itself"
    assert share == 0.0, "the trunk itself where nothing is better"


def test_losses_against_closed_forms():
    asked = torch.nn.functional.normalize(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), dim=1)
    passages = torch.nn.functional.normalize(torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]]), dim=1)
    gold = torch.tensor([0, 1])
    none = torch.zeros(0, 2, dtype=torch.long)
    taught = 10.0 * asked @ passages.T
    among = 10.0 * passages @ passages.T
    found = losses_of(asked, passages, gold, none, (taught, among), scale=10.0)
    one = -math.log(math.exp(10) / (math.exp(10) + math.exp(6) + math.exp(8)))
    two = -math.log(math.exp(8) / (math.exp(0) + math.exp(8) + math.exp(6)))
    assert float(found["contrast"]) == pytest.approx(one + two, rel=1e-4)
    assert float(found["teach"]) == pytest.approx(0, abs=1e-5) and float(found["shape"]) == pytest.approx(0, abs=1e-5)
    blocked = losses_of(asked, passages, gold, torch.tensor([[0, 2]]), (taught, among), scale=10.0)
    assert float(blocked["contrast"]) == pytest.approx(-math.log(math.exp(10) / (math.exp(10) + math.exp(6))) + two, rel=1e-4)
    above = taught.clone()
    above[1, 2] = 100.0
    spared = losses_of(asked, passages, gold, none, (above, among), scale=10.0)
    assert float(spared["contrast"]) == pytest.approx(one - math.log(math.exp(8) / (math.exp(0) + math.exp(8))), rel=1e-4)
    assert float(spared["teach"]) > 1
    untaught = losses_of(asked, passages, gold, none, None, scale=10.0)
    assert list(untaught) == ["contrast"] and float(untaught["contrast"]) == pytest.approx(one + two, rel=1e-4)


def test_a_scale_is_the_likeliest():
    from pragtrain.embedder_rows import Batch

    rng = np.random.default_rng(1)
    batches, similar = [], []
    for _ in range(40):
        cosines = rng.uniform(-1, 1, (30, 6))
        chances = np.exp(7 * cosines) / np.exp(7 * cosines).sum(1, keepdims=True)
        gold = np.array([rng.choice(6, p=row) for row in chances])
        batches.append(Batch(np.arange(30), np.arange(6), gold, np.zeros((0, 2), int)))
        similar.append(cosines)
    scale = fitted(similar, batches)
    assert 6 < scale < 8
    best = likelihood([s * scale for s in similar], batches)
    assert all(likelihood([s * scale * more for s in similar], batches) > best for more in (0.9, 1.1))


def test_embedding_in_batches_gives_each_text_its_own_vector(words):
    maker = Maker(words, seed=1, tokens=150)
    maker.batches("x", pool(), passes=1)
    texts, model = maker.encoded(), small()
    found = embed(model, texts, ([words.cls], [words.cls]), words.sep)
    for number in (0, 5, len(texts) - 1):
        ids, mask = (torch.from_numpy(x) for x in texts.padded(np.array([number]), [words.cls], words.sep))
        with torch.no_grad():
            assert float(model(ids, mask)[0] @ torch.from_numpy(found[number])) > 0.999


def run_in(folder: Path, words: Words, monkeypatch, config: Config) -> EmbedderRun:
    folder.mkdir(exist_ok=True)
    maker = Maker(words, seed=1, tokens=150)
    batches = [batch for turn in maker.batches("x", pool(), passes=2) for batch in turn]
    texts = maker.encoded()
    save(folder / "rows.npz", texts, batches)
    rng = np.random.default_rng(1)
    for name in ("bge-small-en-v1.5", "minilm-l6-v2"):
        made = rng.normal(size=(len(texts), SMALL.width))
        np.save(folder / f"vectors-{name}.npy", (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16))
    (folder / "teachers.json").write_text(json.dumps({"scales": {"bge-small-en-v1.5": 20.0}, "all": 1.0, "steps": len(batches)}))
    monkeypatch.setattr(EmbedderRun, "build", lambda self: small())
    return EmbedderRun(config, folder, torch.device("cpu"), TOKENIZER)


def test_a_run_of_the_embedder_learns_and_goes_on_as_if_it_had_not_stopped(words, tmp_path, monkeypatch):
    config = Config(rate=3e-3, teach=0.0, shape=0.0, anchor=0.0)
    whole = run_in(tmp_path / "whole", words, monkeypatch, config)
    before = float(whole.losses().parts["contrast"].detach())
    whole.train()
    whole.step = 0
    assert float(whole.losses().parts["contrast"].detach()) < before
    parts = run_in(tmp_path / "parts", words, monkeypatch, config)
    parts.train(until=3)
    later = run_in(tmp_path / "parts", words, monkeypatch, config)
    later.resume()
    assert later.step == 3
    later.train()
    for (name, a), (_, b) in zip(whole.model.named_parameters(), later.model.named_parameters()):
        assert torch.equal(a, b), name
    with pytest.raises(SystemExit, match="another run"):
        run_in(tmp_path / "parts", words, monkeypatch, dataclasses.replace(config, scale=30.0))


def test_retrieval_measures_against_closed_forms():
    one = Asked("q", {"a": 4, "b": 1}, "g")
    told = scores(["x", "b", "a", "y"], one, both=0)
    assert told["R@1"] == 0 and told["R@10"] == 1 and told["MRR"] == 0.5
    assert told["nDCG@10"] == pytest.approx((1 / math.log2(3) + 4 / math.log2(4)) / (4 + 1 / math.log2(3)))
    assert scores(["a", *"0123456789", "b"], one, both=2)["all 2 @10"] == 0
    assert scores(["a", "b"], one, both=2)["all 2 @10"] == 1
    assert scores(["x"], one, both=0)["MRR"] == 0


def test_a_measure_of_vectors_ranks_by_cosine_and_is_told_beside_another():
    axes = {"p": [1, 0], "q": [0, 1], "ask p": [0.9, 0.1], "ask q": [0.8, 0.2]}
    ranking = Ranking({"P": "p", "Q": "q"}, [Asked("ask p", {"P": 1}, "1"), Asked("ask q", {"Q": 1}, "2"), Asked("ask q", {"Q": 1}, "2", ["Q"])])
    told = {"x": measure(ranking, lambda texts: np.array([axes[t] for t in texts], np.float32), 0)}
    assert told["x"]["values"]["R@1"] == [1.0, 0.0, 1.0] and told["x"]["values"]["MRR"] == [1.0, 0.5, 1.0]
    beside = {"x": {"groups": ["1", "2", "2"], "values": {name: [0.0, 0.0, 0.0] for name in told["x"]["values"]}}}
    found = figures(told, beside)["x"]["R@1"]
    assert found["other"]["more"] == pytest.approx(2 / 3) and found["other"]["low"] == 0.5 and found["other"]["high"] == 1.0
    beside["x"]["groups"] = ["other", "questions", "asked"]
    assert "other" not in figures(told, beside)["x"]["R@1"]


def test_the_card_tells_the_data_the_recipe_and_the_figures(words, tmp_path, monkeypatch):
    from pragtrain.embedder_card import card

    run = run_in(tmp_path / "run", words, monkeypatch, Config(rate=1e-4))
    run.train(until=1)
    rows = {"recipe": {"tokens": 150}, "sources": {"SelQA": {"used": 893}, "PubMedQA": {"used": 1000}}}
    (tmp_path / "run/rows.json").write_text(json.dumps(rows))
    record = export(small(), tmp_path / "out", sequences())
    told = {**record, "share": 0.5, "chosen": {"0.5": {"papers": 0.71}}}
    (tmp_path / "out/export.json").write_text(json.dumps(told))
    figure = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    (tmp_path / "f.json").write_text(json.dumps({"figures": {"trec-qa": {"MRR": figure}}}))
    text = card(tmp_path / "run", tmp_path / "out/export.json", tmp_path / "f.json")
    assert "| SelQA | 893 | Apache-2.0 |" in text and "| PubMedQA | 1,000 | MIT |" in text
    assert "bge-small-en-v1.5 (MIT" in text and "| 0.5 | 0.7100 |" in text and "| trec-qa: MRR | 0.500 | 0.400-0.600 | 9 |" in text
    assert record["files"]["embedder.int8.onnx"]["sha256"] in text
    assert "None taken yet" in card(tmp_path / "run", tmp_path / "out/export.json", None)
