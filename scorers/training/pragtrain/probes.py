"""What a model says of sentences that were written for this (`notes/probes.json`): examples for its card.

    python -m pragtrain.probes MODEL.onnx [--embedder]

They are few and of our own making: they show how it goes wrong, not how often.
"""

import argparse
import json
from pathlib import Path

from .evaluate import LABELS, Score, cut_pair, onnx_scorer, read
from .evaluate_embedder import onnx_embedder
from .measures import f1, softmax
from .sequences import Words

PROBES = Path(__file__).parents[1] / "notes/probes.json"
TOKENIZER = Path(__file__).parents[2] / "models/bert-uncased/tokenizer.json"
# A span of more words or fewer is right where it shares so much with the right one (SQuAD's F1).
ENOUGH = 0.5


def wrong(words: Words, score: Score) -> tuple[int, list[str], int, list[str]]:
    """How many pairs were judged and a line for each that was judged wrongly; likewise of questions that were read."""
    told = json.loads(PROBES.read_text())
    firsts, seconds = (words.encode([row[i] for row in told["nli"]]) for i in (1, 2))
    judged = []
    for (kind, premise, hypothesis, right), found in zip(told["nli"], score([cut_pair(words, a, b) for a, b in zip(firsts, seconds)])):
        shares = softmax(found["nli"])
        said = LABELS[int(shares.argmax())]
        if said != right:
            judged.append(f'{kind}: "{premise}" and "{hypothesis}": {said} ({shares.max():.2f}), not {right}')
    answers = []
    for (kind, question, passage, right), (text, margin, _) in zip(told["read"], read(words, score, [(q, "", p) for _, q, p, _ in told["read"]])):
        said = text if margin > 0 else None
        if said is None and right is None or said is not None and right is not None and f1(said, [right]) >= ENOUGH:
            continue
        answers.append(f'{kind}: "{question}" of "{passage}": {_quoted(said)}, not {_quoted(right)}')
    return len(told["nli"]), judged, len(told["read"]), answers


def _quoted(answer: str | None) -> str:
    return "no answer" if answer is None else f'"{answer}"'


def nearer(words: Words, model: Path) -> tuple[int, list[str]]:
    """How many texts an embedder was asked about, and a line for each whose passage is no nearer than another one."""
    told = json.loads(PROBES.read_text())["embed"]
    asked, right, other = (onnx_embedder(model, words, 1)([row[i] for row in told]) for i in (1, 2, 3))
    lines = []
    for (kind, text, near, far), a, b in zip(told, (asked * right).sum(1), (asked * other).sum(1)):
        if a <= b:
            lines.append(f'{kind}: "{text}" is nearer to "{far}" ({b:.2f}) than to "{near}" ({a:.2f})')
    return len(told), lines


def section(model: Path, tokenizer: Path = TOKENIZER) -> str:
    """Markdown: what a cross-encoder gets wrong."""
    pairs, judged, questions, answers = wrong(Words(tokenizer), onnx_scorer(model, 1))
    return _told(f"{pairs} pairs and {questions} questions", f"{len(judged)} and {len(answers)}", [*judged, *answers])


def embedder_section(model: Path, tokenizer: Path = TOKENIZER) -> str:
    """Markdown: what an embedder gets wrong."""
    count, lines = nearer(Words(tokenizer), model)
    return _told(f"{count} texts with two passages each", str(len(lines)), lines)


def _told(asked: str, missed: str, lines: list[str]) -> str:
    intro = (
        f"Of {asked} of our own (`scorers/training/notes/probes.json`, written before it was asked) it gets {missed} wrong; they "
        "show how, not how often:"
    )
    return "\n".join([intro, "", *(f"- {line}" for line in lines)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--embedder", action="store_true", help="the model is an embedder")
    parser.add_argument("--tokenizer", type=Path, default=TOKENIZER)
    args = parser.parse_args()
    print((embedder_section if args.embedder else section)(args.model, args.tokenizer))
