"""Questions that the cross-encoder was not trained on and that no figure is reported on, for fitting what reads its scores.

    python -m pragtrain.untrained --data ../../../shared/data --out WORK/untrained.json

writes a SQuAD JSON: what the caps of `sources.py` left over, less every question and passage that training saw anywhere. All
passages of those sets stand in it, so that an index of it has something to confuse; those without questions may have been
seen. For `pragaura bench tuning --questions WORK/untrained.json`.
"""

import argparse
import json
import random
import sys
from pathlib import Path

from .leakage import Leakage, normal
from .reading import questions_of, title_of
from .sources import SOURCES, Source
from .tables import rows_of
from .work import say, write_whole

# Capped sets of whole paragraphs whose answer lists hold alternatives (Quoref's hold parts; QAMR's passages are sentences).
NAMES = ("SQuAD 1.1, lower case", "FairytaleQA", "COVID-QA")
# Questions of a set at most, so that no set rules the fit.
MOST = 200


def untrained(data: Path, leakage: Leakage, seeds: list[int]) -> dict:
    """`seeds`: those of the training runs (`config.json`), which decide what the caps left over."""
    seen = [question for seed in seeds for question in questions_of(data, leakage, seed, {})]
    queries, passages = {normal(q.query) for q in seen}, {normal(q.passage) for q in seen}
    articles: dict[str, dict[str, list[dict]]] = {}
    for source in SOURCES:
        if source.name not in NAMES:
            continue
        rows = [row for row in rows_of(data / source.path) if not leakage.has(row["query"], row["passage"])]
        fit = [row for row in rows if normal(row["query"]) not in queries and normal(row["passage"]) not in passages]
        random.Random(f"{seeds[0]}:untrained:{source.name}").shuffle(fit)
        say(f"{source.name}: {len(fit)} questions, {min(len(fit), MOST)} taken")
        _add(articles, source, rows, {row["qid"] for row in fit[:MOST]})
    return {
        "version": "untrained",
        "data": [
            {"title": title, "paragraphs": [{"context": context, "qas": qas} for context, qas in paragraphs.items()]}
            for title, paragraphs in articles.items()
        ],
    }


def _add(articles: dict[str, dict[str, list[dict]]], source: Source, rows: list[dict[str, str]], wanted: set[str]) -> None:
    """Title -> passage -> questions; passages without a title are all of the article ""."""
    for row in rows:
        qas = articles.setdefault(title_of(source.path, row["docid"]), {}).setdefault(row["passage"], [])
        if row["qid"] in wanted:
            answers = [{"text": text.strip()} for text in row["answers"].split(" | ") if text.strip()]
            qas.append({"id": row["qid"], "question": row["query"].strip(), "answers": answers})


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "../../shared/data")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 7], help="of all runs behind the weights [default: 1 2 7]")
    args = parser.parse_args(argv)
    made = untrained(args.data, Leakage.of(args.data), args.seeds)
    write_whole(args.out, f"{json.dumps(made, ensure_ascii=False)}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
