import json
from dataclasses import replace

import numpy as np
import pytest

from pragtrain.ablate import ALL, table, trained
from pragtrain.evaluate import _mean, differences
from pragtrain.export import export
from pragtrain.groups import GROUPS, kept_rows
from pragtrain.measures import auroc, spread_of_auroc, wilson
from pragtrain.sequences import Sequence
from pragtrain.store import Row, Store
from pragtrain.train import Config
from test_model import SMALL, small_model

ORIGINS = ("SNLI", "SNLI, more", "ContractNLI, 50 training contracts", "NQ-QED: mined negative", "claim: right answer",
           "claim: a reader's answer, wrong", "SelQA", "unanswerable: name", "made: numbers", "VitaminC, real revisions",
           "climate-FEVER", "manuals: window", "written pairs", "wordings: harmless")  # fmt: skip


def store() -> Store:
    sequence = Sequence(np.array([101, 7, 102, 8, 9, 102], np.uint16), 3)
    return Store.of([Row(sequence, 0, i % 3, 1.0, origin) for i, origin in enumerate(ORIGINS * 8)])


def test_a_group_of_rows_is_left_out_whole_and_nothing_else():
    rows = store()
    assert len(kept_rows(rows, "")) == len(rows)
    for name, expected in {"contracts": 1, "SNLI": 2, "claims": 1, "own answers": 1, "mined negatives": 1, "SNLI,claims": 3}.items():
        assert len(rows) - len(kept_rows(rows, name)) == 8 * expected, name
    left = {rows.origins[rows.origin[i]] for i in kept_rows(rows, ",".join(GROUPS))}
    assert left == {"SelQA", "climate-FEVER"}


def test_a_group_without_a_name_or_without_rows_is_refused():
    with pytest.raises(SystemExit, match="there are contracts"):
        kept_rows(store(), "contract")
    few = Store.of([Row(Sequence(np.array([101, 102], np.uint16), 1), 0, 0, 1.0, "SelQA")])
    with pytest.raises(SystemExit, match="hold nothing"):
        kept_rows(few, "contracts")


def test_a_run_without_a_group_reads_none_of_it_and_is_not_made_twice(tmp_path):
    export(small_model(), tmp_path / "begin")
    rows = tmp_path / "rows"
    rows.mkdir()
    store().save(rows / "rows.npz")
    begin = str(tmp_path / "begin/whole.int8.onnx")
    config = Config(layers=SMALL.layers, exit=SMALL.exit, begin=begin, tokens=60, steps=3, without="SNLI")
    graph = trained("SNLI", config, rows, tmp_path / "out")
    record = json.loads((graph.parents[1] / "config.json").read_text())
    assert (record["steps"], record["config"]["without"]) == (3, "SNLI")
    made = graph.stat().st_mtime_ns
    assert trained("SNLI", config, rows, tmp_path / "out") == graph and graph.stat().st_mtime_ns == made
    # Neither other options nor other rows pass for it.
    with pytest.raises(SystemExit, match="another run"):
        trained("SNLI", replace(config, steps=4), rows, tmp_path / "out")
    (rows / "rows.npz").unlink()
    Store.of([Row(Sequence(np.array([101, 102], np.uint16), 1), 0, 0, 1.0, "SNLI")]).save(rows / "rows.npz")
    with pytest.raises(SystemExit, match="of other rows"):
        trained("SNLI", config, rows, tmp_path / "out")


def entry(values: list[float], **more) -> dict:
    return {"value": float(np.mean(values)), "low": 0, "high": 1, "n": len(values), "rows": {"values": values, **more}}


def test_differences_are_paired_by_row():
    rng = np.random.default_rng(3)
    base = (rng.random(2000) < 0.7).astype(float)
    # One row in twenty goes from wrong to right: whatever the rows have in common is no part of the interval.
    better = np.where((base == 0) & (rng.random(2000) < 0.2), 1.0, base)
    share = float((better - base).mean())
    found = differences({"x": {"accuracy": entry(better.tolist())}}, {"x": {"accuracy": entry(base.tolist())}})["x"]["accuracy"]
    half = 1.96 * np.sqrt(share * (1 - share) / 2000)
    assert found["more"] == pytest.approx(share)
    assert found["low"] == pytest.approx(share - half, abs=0.002) and found["high"] == pytest.approx(share + half, abs=0.002)
    with pytest.raises(ValueError, match="other rows"):
        differences({"x": {"accuracy": entry([1.0, 0.0])}}, {"x": {"accuracy": entry([1.0])}})
    with pytest.raises(ValueError, match="other rows"):
        differences({"x": {"EM": entry([1.0], groups=["a"])}}, {"x": {"EM": entry([1.0], groups=["b"])}})


def test_the_spread_of_an_auroc_covers_it_and_that_of_a_score_less_itself_is_nothing():
    rng = np.random.default_rng(5)
    positive = rng.random(800) < 0.5
    score = positive + rng.normal(0, 1, 800)
    low, high = spread_of_auroc([score], positive)
    assert low < auroc(score, positive) < high and high - low < 0.1
    assert spread_of_auroc([score, score], positive) == (0.0, 0.0)
    # Four copies of each row say no more than the row.
    groups = [str(i) for i in range(800)] * 4
    wide = spread_of_auroc([np.tile(score, 4)], np.tile(positive, 4), groups)
    assert wide[1] - wide[0] == pytest.approx(high - low, rel=0.3)
    narrow = spread_of_auroc([np.tile(score, 4)], np.tile(positive, 4))
    assert narrow[1] - narrow[0] < 0.7 * (wide[1] - wide[0])


def test_the_interval_of_a_share_draws_groups():
    rng = np.random.default_rng(7)
    right = rng.random(400) < 0.8
    alone = _mean(right, map(str, range(400)))
    assert (alone["low"], alone["high"]) == wilson(int(right.sum()), 400)
    copies = _mean(np.repeat(right, 9), np.repeat(np.arange(400), 9))
    assert copies["value"] == alone["value"]
    assert copies["high"] - copies["low"] == pytest.approx(alone["high"] - alone["low"], rel=0.15)


def test_the_table_says_what_each_group_adds():
    whole = {"mnli": {"accuracy": entry([1, 1, 1, 0]), "recall, neutral": entry([1.0])}}
    without = {"mnli": {"accuracy": entry([1, 0, 1, 0]), "recall, neutral": entry([1.0])}}
    shown = table({ALL: whole, "claims": without}).splitlines()
    assert shown[0] == "| figure | n | all rows | claims |"
    assert len(shown) == 3 and shown[2].startswith("| mnli: accuracy | 4 | 0.750 | +0.250 [")
