import random
from pathlib import Path

import numpy as np

from pragtrain.own_answers import TIMES_WRONG, own_answers
from pragtrain.reading import Question, paragraphs_of, passage_id
from pragtrain.sequences import Sequence, Words

WORDS = Words(Path(__file__).parents[2] / "models/bert-uncased/tokenizer.json")


def question(query: str, passage: str, *answers: str) -> Question:
    return Question("set", query, query, "Ostrel", passage, answers, "", passage, 0, 1.0)


def says_the_first_words(count: int):
    """A reader whose answer is always the first words of the passage."""

    def score(sequences: list[Sequence]) -> list[dict[str, np.ndarray]]:
        found = []
        for sequence in sequences:
            start, end = np.zeros(len(sequence.ids)), np.zeros(len(sequence.ids))
            start[sequence.second], end[sequence.second + count - 1] = 5.0, 5.0
            found.append({"start": start, "end": end})
        return found

    return score


BRIDGE = question("Who built the bridge?", "Margaret Holm built the bridge in 1900.", "Margaret Holm")
MAST = question("When was the mast raised?", "Iron workers raised the mast in 1907.", "1907")
PART = question("Who rang the bell?", "Jonas Vik rang the bell.", "Jonas Vik of Ostrel", "Captain Jonas")


def test_tells_right_answers_from_wrong_ones_and_leaves_halves_out():
    questions = [BRIDGE, MAST, PART]
    found = own_answers(questions, {}, paragraphs_of(questions), WORDS, says_the_first_words(2), random.Random(1))
    assert [(o.question, o.said) for o in found if o.right] == [(BRIDGE.query, "Margaret Holm")]
    assert [(o.question, o.said) for o in found if not o.right] == [(MAST.query, "Iron workers")] * TIMES_WRONG
    assert all(o.own and o.place[0][o.place[1] : o.place[2]] == o.said for o in found)


def test_an_answer_from_a_passage_that_does_not_hold_it_is_wrong():
    ranked = {MAST.key: [passage_id(MAST.passage), passage_id(BRIDGE.passage)]}
    questions = [BRIDGE, MAST]
    found = own_answers(questions, ranked, paragraphs_of(questions), WORDS, says_the_first_words(2), random.Random(1))
    elsewhere = [o for o in found if not o.own]
    assert [(o.question, o.said, o.right) for o in elsewhere] == [(MAST.query, "Margaret Holm", False)]
    assert elsewhere[0].place == (BRIDGE.passage, 0, len("Margaret Holm"))
