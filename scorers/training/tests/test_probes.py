import json

import numpy as np

from pragtrain import probes
from pragtrain.sequences import Words
from test_model import TOKENIZER


def test_what_is_judged_wrongly_is_told_and_nothing_else(tmp_path, monkeypatch):
    told = {
        "nli": [["roles", "A beat B.", "B lost.", "entailment"], ["numbers", "Two came.", "Three came.", "contradiction"]],
        "read": [["dates", "When?", "In 1950 or so.", "1950"], ["another subject", "Who?", "It rained.", None], ["units", "How long?", "It rained.", "a day"]],
    }
    (tmp_path / "probes.json").write_text(json.dumps(told))
    monkeypatch.setattr(probes, "PROBES", tmp_path / "probes.json")
    words = Words(TOKENIZER)

    def score(sequences):
        """Everything is entailed; the second word of a passage is the answer where the passage begins with "in"."""
        found = []
        for s in sequences:
            start, end = np.full(len(s.ids), -5.0), np.full(len(s.ids), -5.0)
            at = s.second + 1 if s.ids[s.second] == words.encode(["In"])[0].ids[0] else 0
            start[at] = end[at] = 5.0
            found.append({"nli": np.array([2.0, 0.0, 0.0]), "start": start, "end": end})
        return found

    pairs, judged, questions, answers = probes.wrong(words, score)
    assert (pairs, questions) == (2, 3)
    assert judged == ['numbers: "Two came." and "Three came.": entailment (0.79), not contradiction']
    assert answers == ['units: "How long?" of "It rained.": no answer, not "a day"']


def test_a_passage_that_is_no_nearer_than_another_is_told(tmp_path, monkeypatch):
    told = {"embed": [["codes", "ask", "right", "wrong"], ["names", "question", "near", "far"]]}
    (tmp_path / "probes.json").write_text(json.dumps(told))
    monkeypatch.setattr(probes, "PROBES", tmp_path / "probes.json")
    vectors = {"ask": [1, 0], "right": [0.6, 0.8], "wrong": [0.8, 0.6], "question": [1, 0], "near": [1, 0], "far": [0, 1]}
    monkeypatch.setattr(probes, "onnx_embedder", lambda *_: lambda texts: np.array([vectors[text] for text in texts]))
    assert probes.nearer(Words(TOKENIZER), tmp_path) == (2, ['codes: "ask" is nearer to "wrong" (0.80) than to "right" (0.60)'])
