import dataclasses
import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from pragtrain import shipped
from pragtrain.export import _int8, export, quantise
from pragtrain.measures import auroc, calibration_error, calibration_interval, exact, f1, softmax, spread, temperature, wilson
from pragtrain.model import KIND_NLI, KIND_READ, KIND_RELEVANCE, KIND_SPAN_ONLY, NOT_ENTAILMENT, CrossEncoder, Shape, distance_buckets, loss_beside, loss_of
from pragtrain.onnx_graph import graphs
from pragtrain.running import alone, session
from pragtrain.sequences import Sequence, Words, pair, reading
from pragtrain.store import Row, Store, order
from pragtrain.train import Config, Run

TOKENIZER = Path(__file__).parents[2] / "models/bert-uncased/tokenizer.json"
SMALL = Shape(layers=4, width=32, heads=4, inner=64, vocabulary=200, positions=64, exit=2)


def small_model(seed: int = 1) -> CrossEncoder:
    torch.manual_seed(seed)
    model = CrossEncoder(SMALL)
    model.start_heads()
    return model.eval()


@pytest.fixture(scope="module")
def words() -> Words:
    return Words(TOKENIZER)


def pieces(words: Words, sequence: Sequence) -> str:
    names = {i: w for w, i in json.loads(TOKENIZER.read_text())["model"]["vocab"].items()}
    return " ".join(names[i] for i in sequence.ids.tolist()).replace(" ##", "")


def test_a_question_with_a_title_is_laid_out_in_three_parts(words):
    import random

    q, t, p = words.encode(["Who wrote it?", "The report", "Maria Lopez wrote it in March."])
    made = reading(words, q, t, p, (0, 11), random.Random(1))
    assert pieces(words, made) == "[CLS] who wrote it ? [SEP] the report [SEP] maria lopez wrote it in march . [SEP]"
    assert made.ids[made.second] == p.ids[0]
    assert (made.start, made.end) == (made.second, made.second + 1)
    bare = reading(words, q, words.encode([""])[0], p, None, random.Random(1))
    assert pieces(words, bare) == "[CLS] who wrote it ? [SEP] maria lopez wrote it in march . [SEP]"
    assert (bare.start, bare.end) == (0, 0)


def test_text_never_becomes_a_special_token(words):
    (encoded,) = words.encode(["a [SEP] b [CLS]"])
    assert words.sep not in encoded.ids and words.cls not in encoded.ids


def test_a_long_passage_becomes_a_window_round_the_answer(words):
    import random

    text = "word " * 900 + "Maria Lopez " + "word " * 900
    q, t, p = words.encode(["Who?", "", text])
    place = (text.index("Maria"), text.index("Maria") + 11)
    for seed in range(20):
        made = reading(words, q, t, p, place, random.Random(seed))
        assert len(made.ids) == 320
        assert pieces(words, Sequence(made.ids[made.start : made.end + 1], 0)) == "maria lopez"
    assert pair(words, q, p) is None


def rows_for_store(words: Words) -> Store:
    import random

    q, t, p = words.encode(["Who wrote it?", "", "Maria Lopez wrote it in March."])
    read = reading(words, q, t, p, (0, 11), random.Random(1))
    rows = [
        Row(read, KIND_READ, 1, 1.0, "b"),
        Row(dataclasses.replace(read, start=0, end=0), KIND_SPAN_ONLY, 0, 1.0, "b"),
        Row(pair(words, p, q), KIND_NLI, NOT_ENTAILMENT, 0.5, "a"),
        Row(pair(words, q, q), KIND_RELEVANCE, 0, 1.0, "a"),
    ]
    return Store.of(rows)


def test_the_store_gives_back_what_it_was_given(words, tmp_path):
    store = rows_for_store(words)
    store.save(tmp_path / "rows.npz")
    again = Store.load(tmp_path / "rows.npz")
    batch = again.batch(np.array([0, 3]))
    assert batch["ids"].shape == batch["mask"].shape and batch["mask"][1].sum() == again.lengths[3]
    assert batch["segments"][0, again.second[0]] == 1 and batch["segments"][0, again.second[0] - 1] == 0
    assert batch["segments"][1, again.lengths[3] :].sum() == 0, "padding belongs to no text"
    assert again.origins == ["a", "b"] and batch["label"].tolist() == [1, 0]
    (tmp_path / "two").mkdir()
    store.save(tmp_path / "two/rows.npz")
    assert (tmp_path / "rows.npz").read_bytes() == (tmp_path / "two/rows.npz").read_bytes()


def test_the_order_holds_every_row_once_within_the_limit_and_for_a_seed():
    lengths = np.random.default_rng(1).integers(5, 300, 5_000)
    alone = np.full(5_000, -1)
    batches = order(lengths, alone, seed=3, tokens=4_096)
    assert sorted(np.concatenate(batches).tolist()) == list(range(5_000))
    assert all(len(b) * lengths[b].max() <= 4_096 for b in batches)
    assert all((a == b).all() for a, b in zip(batches, order(lengths, alone, 3, 4_096), strict=True))
    padded = sum(len(b) * lengths[b].max() for b in batches)
    assert padded < 1.1 * lengths.sum()


def test_passages_for_one_question_come_in_one_batch():
    lengths = np.random.default_rng(1).integers(5, 300, 5_000)
    group = np.where(np.arange(5_000) < 3_000, np.arange(5_000) % 600, -1)
    batches = order(lengths, group, seed=3, tokens=4_096)
    assert sorted(np.concatenate(batches).tolist()) == list(range(5_000))
    assert all(len(b) * lengths[b].max() <= 4_096 for b in batches)
    for one in range(600):
        assert sum((group[b] == one).any() for b in batches) == 1
    huge = order(np.array([100, 100, 100, 7]), np.array([4, 4, 4, -1]), 1, 200)
    assert sorted(map(len, huge)) == [1, 3], "a group over the limit has a batch to itself"


def test_an_answer_is_held_against_the_wrong_passages_of_its_own_question():
    zeros = torch.zeros(6, dtype=torch.long)
    scores = torch.tensor([2.0, 1.0, -1.0, 0.5, 3.0, 0.0])
    batch = {
        "kind": torch.tensor([KIND_READ, KIND_READ, KIND_RELEVANCE, KIND_RELEVANCE, KIND_READ, KIND_NLI]),
        "label": torch.tensor([1, 0, 0, 1, 0, 1]),
        "group": torch.tensor([7, 7, 7, 7, 8, 7]),
        "start": zeros, "end": zeros, "weight": torch.tensor([1.0, 1, 1, 2, 1, 1]),
    }  # fmt: skip
    found = {"relevance": scores, "nli": torch.zeros(6, 3), "start": torch.zeros(6, 4), "end": torch.zeros(6, 4)}
    wrong = torch.exp(torch.tensor([1.0, -1.0])).sum()
    wanted = sum(w * -torch.log(torch.exp(s) / (torch.exp(s) + wrong)) for s, w in ((torch.tensor(2.0), 1), (torch.tensor(0.5), 2)))
    assert torch.isclose(loss_of(found, batch)["listwise"], wanted)
    alone = {**batch, "group": torch.tensor([1, 2, 3, 4, 5, -1])}
    assert "listwise" not in loss_of(found, alone)


def test_a_student_that_says_what_its_teacher_says_has_nothing_to_learn():
    """Rows of weight 0 are learned from a teacher and from nobody else."""
    torch.manual_seed(3)
    zeros = torch.zeros(6, dtype=torch.long)
    batch = {
        "kind": torch.tensor([KIND_READ, KIND_READ, KIND_RELEVANCE, KIND_RELEVANCE, KIND_SPAN_ONLY, KIND_NLI]),
        "label": torch.tensor([1, 0, 0, 0, 0, 1]), "group": torch.tensor([7, 7, 7, 8, -1, -1]),
        "start": zeros, "end": zeros, "weight": torch.tensor([1.0, 1, 0, 0, 1, 1]),
    }  # fmt: skip
    shapes = {"relevance": (6,), "early": (6,), "nli": (6, 3), "start": (6, 4), "end": (6, 4)}
    taught = {name: torch.randn(shape) for name, shape in shapes.items()}
    same = {name: (taught["relevance"] if name == "early" else taught[name]).clone().requires_grad_() for name in shapes}
    loss_beside(same, taught, batch)["total"].backward()
    assert all(value.grad.abs().max() < 1e-6 for value in same.values())
    other = {name: torch.randn(shape).requires_grad_() for name, shape in shapes.items()}
    loss_beside(other, taught, batch)["total"].backward()
    assert (other["relevance"].grad[:4] != 0).all() and (other["nli"].grad[5] != 0).all() and (other["start"].grad[4] != 0).all()
    assert (other["relevance"].grad[4:] == 0).all()
    again = {name: value.detach().clone().requires_grad_() for name, value in other.items()}
    loss_of(again, batch)["total"].backward()
    assert (again["relevance"].grad[2:4] == 0).all()


def test_distances_are_told_apart_near_by_and_in_logarithms_far_off():
    held = distance_buckets(200, 32, torch.device("cpu"))
    # Behind: single distances up to seven, then eight buckets up to 128; before: the same, sixteen on.
    assert held[150, 150] == 0 and held[150, 143] == 7 and held[143, 150] == 16 + 7
    assert held[150, 142] == 8 and held[150, 150 - 32] == 8 + 4 and held[199, 199 - 128] == 15 and held[0, 199] == 31
    assert (held[150, :151].flip(0).diff() >= 0).all()


def test_losses_read_only_what_their_kind_says():
    model = small_model()
    ids = torch.randint(5, 200, (4, 12))
    segments = (torch.arange(12) > 5).long().expand(4, 12)
    found = model(ids, segments, torch.ones_like(ids))
    zeros = torch.zeros(4, dtype=torch.long)
    batch = {"kind": torch.tensor([0, 1, 2, 3]), "label": torch.tensor([0, 1, 0, 0]), "group": zeros - 1, "start": zeros, "end": zeros, "weight": torch.ones(4)}  # fmt: skip
    parts = loss_of(found, batch)
    nli = -found["nli"][0].log_softmax(-1)[0]
    assert torch.isclose(parts["nli"], nli)
    bce = torch.nn.functional.softplus(-found["relevance"][1]) + torch.nn.functional.softplus(found["relevance"][2])
    assert torch.isclose(parts["relevance"], bce)
    span = sum(-found[side][[1, 3]].log_softmax(-1)[:, 0].sum() for side in ("start", "end")) / 2
    assert torch.isclose(parts["span"], span)
    only = {k: v[:1] for k, v in batch.items()} | {"label": torch.tensor([NOT_ENTAILMENT])}
    shares = found["nli"][:1].softmax(-1)
    assert torch.isclose(loss_of({k: v[:1] for k, v in found.items()}, only)["nli"], -(1 - shares[0, 0]).log(), atol=1e-5)


def test_spans_lie_in_the_second_text_or_at_position_0_and_padding_changes_nothing():
    model = small_model()
    ids = torch.randint(5, 200, (1, 10))
    segments = (torch.arange(10) > 5).long()[None]
    found = model(ids, segments, torch.ones_like(ids))
    assert (found["start"][0, 1:6] <= -1e4).all() and (found["start"][0, 6:] > -1e3).all() and found["start"][0, 0] > -1e3
    wide = torch.nn.functional.pad(ids, (0, 6))
    more = model(wide, torch.nn.functional.pad(segments, (0, 6)), (torch.arange(16) < 10).long()[None])
    for name in ("nli", "relevance", "early"):
        assert torch.allclose(found[name], more[name], atol=1e-5)


def test_graphs_say_what_torch_says_and_the_halves_what_the_whole_says(tmp_path):
    model = small_model(3)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.add_(0.3 * torch.randn_like(parameter) if parameter.dim() == 1 else 0.1 * torch.randn_like(parameter))
    made = {name: graph.SerializeToString() for name, graph in graphs({k: v.numpy() for k, v in model.state_dict().items()}, SMALL).items()}  # fmt: skip
    whole, lower, upper = (session(made[name]) for name in ("whole", "lower", "upper"))
    ids = np.random.default_rng(1).integers(5, 200, (3, 14))
    mask = (np.arange(14) < np.array([14, 9, 11])[:, None]).astype(np.int64)
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": ((np.arange(14) > 4) * mask).astype(np.int64)}
    names = [o.name for o in whole.get_outputs()]
    assert set(names) == {"nli", "relevance", "start", "end", "early"}
    found = dict(zip(names, whole.run(None, given)))
    with torch.no_grad():
        truth = model(*(torch.from_numpy(given[k]) for k in ("input_ids", "token_type_ids", "attention_mask")))
    for name in ("nli", "relevance", "early"):
        assert np.allclose(found[name], truth[name].numpy(), atol=1e-4), name
    allowed = truth["start"].numpy() > -1e3
    assert np.allclose(found["start"][allowed], truth["start"].numpy()[allowed], atol=1e-4)
    hidden, early = lower.run(["hidden", "early"], given)
    rest = dict(zip([o.name for o in upper.get_outputs()], upper.run(None, {"hidden": hidden, "attention_mask": mask})))
    assert np.allclose(early, found["early"], atol=1e-5)
    assert all(np.allclose(rest[name], found[name], atol=1e-4) for name in ("nli", "relevance", "start", "end"))
    shared = {i.name for i in onnx.load_from_string(made["lower"]).graph.initializer} & {
        i.name for i in onnx.load_from_string(made["upper"]).graph.initializer
    }
    assert not {name for name in shared if name.startswith(("layers", "words", "early", "nli"))}, "no weight stands in both"


def test_int8_is_near_float_and_small(tmp_path):
    matrix = np.random.default_rng(1).normal(size=(20, 5)).astype(np.float32)
    small, scale = _int8(matrix, axis=0)
    assert np.abs(small * scale - matrix).max() <= scale.max() / 2 + 1e-7 and small.dtype == np.int8
    record = export(small_model(), tmp_path)
    files = record["files"]
    assert files["whole.int8.onnx"]["bytes"] < 0.7 * files["whole.float.onnx"]["bytes"]
    assert record["differences"]["torch and float graph"] < 1e-4
    assert record["differences"]["float and int8 (random words)"] < 0.2
    graph = quantise(onnx.load(tmp_path / "whole.float.onnx"))
    assert sum(n.op_type == "MatMulInteger" for n in graph.graph.node) == 4 * 6 + 4, "six a layer, three pools, the NLI logits"


def test_an_exported_graph_is_read_back_and_trained_on(words, tmp_path, monkeypatch):
    model = small_model(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    export(model, tmp_path / "export")
    exact = shipped.read(tmp_path / "export/whole.float.onnx")
    assert exact.shape == SMALL
    for (name, a), (_, b) in zip(model.state_dict().items(), exact.state_dict().items(), strict=True):
        assert torch.equal(a, b), name
    rounded = shipped.read(tmp_path / "export/whole.int8.onnx")
    for (name, a), (_, b) in zip(model.state_dict().items(), rounded.state_dict().items(), strict=True):
        assert (a - b).abs().max() <= a.abs().max() / 127, name
    again = export(rounded, tmp_path / "again")
    first, second = (session(tmp_path / f"{folder}/whole.int8.onnx") for folder in ("export", "again"))
    given = alone(np.random.default_rng(1).integers(5, 200, 20))
    assert np.allclose(first.run(["nli"], given)[0], second.run(["nli"], given)[0], atol=1e-3)
    assert again["shape"] == SMALL.record()
    with pytest.raises(ValueError, match="holds no CrossEncoder"):
        shipped.read(tmp_path / "export/upper.int8.onnx")

    config = Config(tokens=60, rate=1e-3, layers=4, exit=2, begin=str(tmp_path / "export/whole.int8.onnx"))
    run = run_in(tmp_path / "run", words, monkeypatch, config)
    assert torch.equal(run.model.span.weight, rounded.span.weight)
    assert len(json.loads((tmp_path / "run/config.json").read_text())["begun"]) == 64
    with pytest.raises(SystemExit, match="say --layers"):
        run_in(tmp_path / "other", words, monkeypatch, dataclasses.replace(config, layers=3))


def run_in(folder: Path, words: Words, monkeypatch, config: Config) -> Run:
    """A run over few rows with a small model and a trunk made here."""
    from safetensors.numpy import save_file

    import pragtrain.train as module

    folder.mkdir(exist_ok=True)
    if not (folder / "rows.npz").exists():
        store = rows_for_store(words)
        rows = [Row(Sequence(store.ids[store.begins[i] : store.begins[i + 1]] % 200, int(store.second[i]), int(store.start[i]), int(store.end[i])), int(store.kind[i]), int(store.label[i]), 1.0, "x") for i in range(4)]  # fmt: skip
        # One that only a teacher says anything of.
        Store.of([*rows * 12, dataclasses.replace(rows[2], weight=0.0)]).save(folder / "rows.npz")
    trunk = folder.parent / "trunk.safetensors"
    if not trunk.exists():
        rng = np.random.default_rng(1)
        w, i = SMALL.width, SMALL.inner
        dims = {"attention.self.query": (w, w), "attention.self.key": (w, w), "attention.self.value": (w, w), "attention.output.dense": (w, w), "intermediate.dense": (i, w), "output.dense": (w, i)}  # fmt: skip
        made = {}
        for layer in range(SMALL.layers):
            for name, (a, b) in dims.items():
                made[f"encoder.layer.{layer}.{name}.weight"] = rng.normal(0, 0.05, (a, b))
                made[f"encoder.layer.{layer}.{name}.bias"] = np.zeros(a)
            for name in ("attention.output.LayerNorm", "output.LayerNorm"):
                made[f"encoder.layer.{layer}.{name}.weight"], made[f"encoder.layer.{layer}.{name}.bias"] = np.ones(w), np.zeros(w)
        made |= {"embeddings.LayerNorm.weight": np.ones(w), "embeddings.LayerNorm.bias": np.zeros(w)}
        for name, count in (("word", SMALL.vocabulary), ("position", SMALL.positions), ("token_type", 2)):
            made[f"embeddings.{name}_embeddings.weight"] = rng.normal(0, 0.05, (count, w))
        save_file({k: v.astype(np.float32) for k, v in made.items()}, trunk)
    monkeypatch.setattr(module, "fetch", lambda *_: trunk)
    monkeypatch.setattr(module, "Shape", lambda **_: SMALL)
    return Run(config, folder, torch.device("cpu"))


def test_a_run_that_is_stopped_and_goes_on_ends_as_one_that_was_not(words, tmp_path, monkeypatch):
    config = Config(tokens=60, rate=1e-3)
    whole = run_in(tmp_path / "whole", words, monkeypatch, config)
    whole.train()
    parts = run_in(tmp_path / "parts", words, monkeypatch, config)
    parts.train(until=5)
    assert parts.step == 5 and not (tmp_path / "parts/model.pt").exists()
    later = run_in(tmp_path / "parts", words, monkeypatch, config)
    later.resume()
    assert later.step == 5
    later.train()
    assert (tmp_path / "parts/model.pt").exists() and whole.steps == later.step
    for (name, a), (_, b) in zip(whole.model.named_parameters(), later.model.named_parameters()):
        assert torch.equal(a, b), name
    assert len(later.checkpoints()) <= 2
    lines = [json.loads(line) for line in (tmp_path / "whole/log.jsonl").read_text().splitlines()]
    assert lines[-1]["step"] == whole.steps and lines[-1]["rate"] < 1e-3


def test_a_teacher_is_learned_from_and_remembered(words, tmp_path, monkeypatch):
    run_in(tmp_path / "teacher", words, monkeypatch, Config(tokens=60, rate=1e-3, seed=4)).train()
    teacher = tmp_path / "teacher/model.pt"
    plain = run_in(tmp_path / "plain", words, monkeypatch, Config(tokens=60, rate=1e-3))
    taught = run_in(tmp_path / "taught", words, monkeypatch, Config(tokens=60, rate=1e-3, teacher=str(teacher)))
    # The row of weight 0 is there for the teacher alone.
    assert len(np.concatenate(taught.batches)) == len(np.concatenate(plain.batches)) + 1
    for run in (plain, taught):
        run.train()
    assert any(not torch.equal(a, b) for a, b in zip(plain.model.parameters(), taught.model.parameters()))
    assert set(json.loads((tmp_path / "taught/config.json").read_text())) >= {"teacher"}


def test_a_teacher_of_some_heads_leaves_the_others_to_the_labels(words, tmp_path, monkeypatch):
    run_in(tmp_path / "teacher", words, monkeypatch, Config(tokens=60, rate=1e-3, seed=4)).train()
    teacher = str(tmp_path / "teacher/model.pt")
    plain = run_in(tmp_path / "plain", words, monkeypatch, Config(tokens=60))
    held = run_in(tmp_path / "held", words, monkeypatch, Config(tokens=60, teacher=teacher, taught=1.0, heads="nli,span"))
    held.model.load_state_dict(plain.model.state_dict())
    assert [b.tolist() for b in held.batches] == [b.tolist() for b in plain.batches], "nobody says anything of the row of weight 0"
    differing = set()
    while held.step < held.steps:
        one, other = plain.losses().parts, held.losses().parts
        assert set(one) == set(other)
        differing |= {name for name in one if not torch.allclose(one[name], other[name])}
        plain.step = held.step = held.step + 1
    assert differing == {"nli", "span", "total"}
    with pytest.raises(SystemExit, match='no loss is named "spans"; there are nli, relevance'):
        run_in(tmp_path / "other", words, monkeypatch, Config(tokens=60, teacher=teacher, heads="spans"))


def test_what_is_frozen_stays_and_the_rest_learns(words, tmp_path, monkeypatch):
    run = run_in(tmp_path / "run", words, monkeypatch, Config(tokens=60, rate=1e-3, frozen=2))
    before = {name: weight.clone() for name, weight in run.model.state_dict().items()}
    run.train()
    changed = [name.split(".") for name, weight in run.model.state_dict().items() if not torch.equal(weight, before[name])]
    assert {part for part, *_ in changed} == {"layers", "nli", "relevance", "span"}
    assert {number for part, number, *_ in changed if part == "layers"} == {"2", "3"}


def test_a_broken_checkpoint_is_passed_over_and_another_run_is_refused(words, tmp_path, monkeypatch):
    config = Config(tokens=60, rate=1e-3)
    run = run_in(tmp_path / "run", words, monkeypatch, config)
    run.train(until=3)
    (tmp_path / "run/checkpoint-000999.pt").write_bytes(b"half a file")
    again = run_in(tmp_path / "run", words, monkeypatch, config)
    again.resume()
    assert again.step == 3
    with pytest.raises(SystemExit, match="another run"):
        run_in(tmp_path / "run", words, monkeypatch, dataclasses.replace(config, rate=2e-3))


def test_a_run_can_be_brought_to_its_end(words, tmp_path, monkeypatch):
    run = run_in(tmp_path / "run", words, monkeypatch, Config(tokens=60, rate=1e-3, warm=0.1, cool=0.5))
    rates = [run.rate(step) for step in range(run.steps)]
    assert rates[0] <= max(rates) == 1e-3 and rates[-1] < 0.2e-3
    run.train(until=4)
    before = run.rate(4)
    run.finish(3)
    assert run.last == 7 and run.rate(4) == pytest.approx(before) and run.rate(6) == pytest.approx(before / 3)
    again = run_in(tmp_path / "run", words, monkeypatch, run.config)
    again.resume()
    again.train()
    assert again.step == 7 and (tmp_path / "run/model.pt").exists()
    more = run_in(tmp_path / "run", words, monkeypatch, run.config)
    more.resume()
    more.reopen()
    assert (more.last, more.rate(7)) == (more.steps, rates[7])
    with pytest.raises(SystemExit, match="not ended early"):
        more.reopen()


def test_reranking_counts_questions_without_candidates_as_missed(words, tmp_path):
    from pragtrain.evaluate import measure_rerank

    texts = [{"id": str(i), "title": "", "text": "x " * i} for i in range(1, 4)]
    rows = [{"query": "q", "gold": ["3"], "candidates": texts}, {"query": "q", "gold": ["1"], "candidates": []}]
    (tmp_path / "c.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def by_length(sequences):
        return [{"relevance": np.float32(len(s.ids))} for s in sequences]

    told = measure_rerank(tmp_path / "c.ndjson", words, by_length, 0, titles=True)
    assert told["R@1"]["value"] == 0.5 and told["R@1 (before)"]["value"] == 0 and told["MRR@10 (before)"]["value"] == pytest.approx(1 / 6)
    assert "R@1 (early)" not in told


def test_halves_rank_again_what_the_lower_one_ranks_among_the_best(words, tmp_path):
    from pragtrain.evaluate import KEPT, measure_rerank

    texts = [{"id": str(i), "title": "", "text": "x " * i} for i in range(1, KEPT + 3)]
    rows = [{"query": "q", "gold": [gold], "candidates": texts} for gold in (str(KEPT), str(KEPT + 1))]
    (tmp_path / "c.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def by_length(sequences):
        """The lower half likes short passages, the upper one long ones."""
        return [{"relevance": np.float32(len(s.ids)), "early": np.float32(-len(s.ids))} for s in sequences]

    told = measure_rerank(tmp_path / "c.ndjson", words, by_length, 0, titles=True)
    assert told["R@1 (halves)"]["value"] == 0.5 and told["R@1 (early)"]["value"] == told["R@1"]["value"] == 0


def test_measures_agree_with_closed_forms():
    low, high = wilson(50, 100)
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)
    assert auroc(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, False, True, False])) == 1.0
    assert auroc(np.array([1.0, 1.0]), np.array([True, False])) == 0.5
    logits = np.random.default_rng(1).normal(size=(4_000, 3)) * 2
    rng = np.random.default_rng(2)
    labels = np.array([rng.choice(3, p=p) for p in softmax(logits)])
    assert temperature(3 * logits, labels) == pytest.approx(3, rel=0.1)
    assert calibration_error(softmax(logits), labels) < 0.03 < calibration_error(softmax(3 * logits), labels)
    assert exact("The Old Bridge!", ["old bridge"]) == 1 and f1("the old bridge", ["old stone bridge"]) == pytest.approx(0.8)
    low, high = spread(np.array([0.0, 1.0] * 200))
    assert 0.44 < low < 0.5 < high < 0.56


def test_interval_of_the_calibration_error_holds_the_true_one():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(100):
        # Always .9 sure, right in .7: an error of .2.
        probabilities = np.tile([0.9, 0.06, 0.04], (400, 1))
        labels = np.where(rng.random(400) < 0.7, 0, 1)
        low, high = calibration_interval(probabilities, labels, draws=200)
        held += low <= 0.2 <= high
    assert 86 <= held <= 100
    sure = np.tile([1.0, 0.0, 0.0], (50, 1))
    assert calibration_interval(sure, np.zeros(50, int)) == (0.0, 0.0)
