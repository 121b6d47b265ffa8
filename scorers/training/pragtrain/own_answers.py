"""What a reader answers itself, right and wrong: entailment is there to tell the two apart, so it learns from both."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .evaluate import read
from .measures import f1
from .mine import hard_negatives
from .reading import Question
from .sequences import Sequence, Words

# Questions that are read in their own passage, and in one that retrieval ranks high and that does not answer.
MOST_OWN = 14_000
MOST_ELSEWHERE = 8_000
# The reader has seen these passages and is seldom wrong in them, less often than it will be.
TIMES_WRONG = 2
RIGHT = 0.8


@dataclass(frozen=True)
class OwnAnswer:
    """`place`: passage, and where in it the answer stands."""

    question: str
    said: str
    place: tuple[str, int, int]
    title: str
    right: bool
    own: bool


def own_answers(
    questions: list[Question],
    ranked: dict[str, list[str]],
    paragraphs: dict[str, tuple[str, str]],
    words: Words,
    score: Callable[[list[Sequence]], list[dict[str, np.ndarray]]],
    rng: random.Random,
    share: float = 1.0,
) -> list[OwnAnswer]:
    """`share`: of the questions that are read at most. Answers that share hardly anything with a known one are wrong; those that
    share some of it are left out.
    """
    own = [(q, q.title, q.passage) for q in rng.sample(questions, min(len(questions), int(share * MOST_OWN)))]
    elsewhere = []
    for question in rng.sample(questions, len(questions)):
        hard = hard_negatives(question, ranked.get(question.key, []), paragraphs)
        if hard and len(elsewhere) < share * MOST_ELSEWHERE:
            elsewhere.append((question, *paragraphs[hard[min(int(rng.expovariate(0.25)), len(hard) - 1)]]))
    asked = own + elsewhere
    found = read(words, score, [(question.query, title, passage) for question, title, passage in asked])
    right, wrong = [], []
    for number, ((question, title, passage), (said, _, begin)) in enumerate(zip(asked, found)):
        here = number < len(own)
        agrees = f1(said, list(question.answers))
        if not said.strip() or 0 < agrees < RIGHT or (agrees > 0 and not here):
            continue
        given = OwnAnswer(question.query, said, (passage, begin, begin + len(said)), title, agrees > 0, here)
        if given.right:
            right.append(given)
        else:
            wrong += [given] * (TIMES_WRONG if here else 1)
    return right[: len(wrong)] + wrong
