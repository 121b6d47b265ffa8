import json
from pathlib import Path

import pytest

from pragtrain.card import card
from pragtrain.install import install
from pragtrain.work import sha256_of

MODELS = Path(__file__).parents[2] / "models"


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A run, its export and a models folder, as small as they can be."""
    monkeypatch.setattr("pragtrain.card.section", lambda *_: "- an example")
    run, exported, models = (tmp_path / name for name in ("run", "export", "models"))
    for folder in (run, exported, models / "bert-uncased"):
        folder.mkdir(parents=True)
    config = {"trunk": "e5-small-v2", "layers": 12, "exit": 6, "tokens": 8192, "rate": 1e-4, "decay": 0.01, "warm": 0.03,
              "cool": 0.6, "clip": 1.0, "seed": 1, "early": 0.5, "steps": 0}  # fmt: skip
    (run / "config.json").write_text(json.dumps({"config": config, "rows": "ab" * 32, "steps": 40}))
    (run / "rows.json").write_text(json.dumps({"rows": 9, "tokens": 900, "sources": {}, "origins": {}}))
    (run / "log.jsonl").write_text(json.dumps({"step": 40, "tokens": 900, "seconds": 60, "nli": 0.5}) + "\n")
    told = {"shape": {"width": 384}, "files": {}}
    for part in ("whole", "lower", "upper"):
        file = exported / f"{part}.int8.onnx"
        file.write_bytes(f"the {part} graph".encode())
        told["files"][file.name] = {"bytes": file.stat().st_size, "sha256": sha256_of(file)}
    (exported / "export.json").write_text(json.dumps(told))
    (models / "models.lock.json").write_text((MODELS / "models.lock.json").read_text())
    (models / "bert-uncased/tokenizer.json").write_bytes((MODELS / "bert-uncased/tokenizer.json").read_bytes())
    return run, exported, models


def test_weights_card_and_lock_entry_are_put_beside_the_others(places):
    run, exported, models = places
    before = json.loads((models / "models.lock.json").read_text())
    install(run, exported, models, "ours", False)
    lock = json.loads((models / "models.lock.json").read_text())
    made = lock["models"].pop("ours")
    assert lock == before
    weights = models / made["weights"]["path"]
    assert (weights.stat().st_size, sha256_of(weights)) == (made["weights"]["bytes"], made["weights"]["sha256"])
    assert made["tokenizer"] == before["models"]["pragaura-embedder"]["tokenizer"]
    assert made["titled"] == {"query": 80, "title": 24}
    assert any("title" in known for known in made["jobs"]["read"]["known"])
    assert (models / made["card"]).read_text().startswith("# Cross-encoder")
    assert "step 40" in made["revision"]


def test_the_card_can_be_written_again_from_the_records_beside_the_weights(places):
    run, exported, models = places
    figures = exported / "int8.json"
    figures.write_text(json.dumps({"figures": {"mnli": {"accuracy": {"value": 0.8, "n": 10}}}}))
    install(run, exported, models, "ours", False, figures=figures)
    kept = models / "ours/run"
    again = card(kept, kept / "figures.json", None, kept / "export.json", models / "ours/model.int8.onnx")
    assert again == (models / "ours/README.md").read_text() and "| mnli: accuracy | 0.800 |" in again


def test_halves_are_two_files(places):
    run, exported, models = places
    made = install(run, exported, models, "ours", False, keep=8)
    for file in (made["weights"], made["upper"]):
        assert sha256_of(models / file["path"]) == file["sha256"]
    assert {k: made["upper"][k] for k in ("hidden", "width", "keep")} == {"hidden": "hidden", "width": 384, "keep": 8}
    assert made["jobs"]["rerank"]["early"] == "early"
    # Whole again, with figures and then without: nothing of before is left.
    figures = exported / "int8.json"
    figures.write_text(json.dumps({"figures": {}}))
    install(run, exported, models, "ours", False, figures=figures)
    assert (models / "ours/run/figures.json").exists()
    install(run, exported, models, "ours", False)
    assert [path.name for path in (models / "ours").glob("*.onnx*")] == ["model.int8.onnx"]
    assert not (models / "ours/run/figures.json").exists()


def test_it_becomes_the_default_where_that_is_asked_for(places):
    run, exported, models = places
    install(run, exported, models, "ours", True)
    defaults = json.loads((models / "models.lock.json").read_text())["defaults"]
    assert defaults == {"embed": defaults["embed"], "rerank": "ours", "read": "ours", "nli": "ours"}
    assert defaults["embed"] != "ours"


def test_a_graph_that_the_export_does_not_describe_changes_nothing(places):
    run, exported, models = places
    before = (models / "models.lock.json").read_text()
    (exported / "whole.int8.onnx").write_bytes(b"another")
    with pytest.raises(RuntimeError, match="export again"):
        install(run, exported, models, "ours", True)
    assert (models / "models.lock.json").read_text() == before
    assert not (models / "ours").exists()


def test_an_embedder_is_put_there_likewise(places, monkeypatch):
    from pragtrain import embedder_install

    run, exported, models = places
    file = exported / "embedder.int8.onnx"
    file.write_bytes(b"an embedder")
    told = {"shape": {"layers": 6, "width": 384}, "files": {file.name: {"bytes": 11, "sha256": sha256_of(file)}}}
    (exported / "export.json").write_text(json.dumps(told))
    (run / "teachers.json").write_text("{}")
    monkeypatch.setattr(embedder_install, "card", lambda *_: "# Embedder\n")
    made = embedder_install.install(run, exported, models, "ours", True)
    lock = json.loads((models / "models.lock.json").read_text())
    assert lock["models"]["ours"] == made and lock["defaults"]["embed"] == "ours"
    assert sha256_of(models / made["weights"]["path"]) == made["weights"]["sha256"]
    assert made["jobs"]["embed"]["dimension"] == 384 and len(made["jobs"]["embed"]["known"]) == 3
