"""Candidates to re-rank: the development paragraphs, ranked by the product's own fused retrieval.

    python -m pragtrain.candidates --dist ../../dist --out WORK/candidates.ndjson [--n 600]

Rows: {"query", "gold": [id], "candidates": [{"id", "title", "text"}]}, the first 20 of each question.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from .evaluate import READING, sample
from .reading import passage_id
from .tables import rows_of
from .work import say, write_whole

DEPTH = 20


def main(argv: list[str]) -> None:
    here = Path(__file__).parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=here / "../../../shared/data")
    parser.add_argument("--dist", type=Path, default=here / "../../dist")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=600)
    args = parser.parse_args(argv)
    rows = rows_of(args.data / READING)
    passages = {passage_id(r["passage"]): (r["docid"].split("#")[0].replace("_", " "), r["passage"]) for r in rows}
    folder = args.out.with_suffix(".work")
    folder.mkdir(parents=True, exist_ok=True)
    corpus = folder / "paragraphs.jsonl"
    corpus.write_text("".join(f"{json.dumps({'_id': k, 'title': t, 'text': p})}\n" for k, (t, p) in sorted(passages.items())))
    asked = sample(rows, args.n)
    say(f"{len(passages)} paragraphs, {len(asked)} questions")
    node = ["node", str(args.dist / "main.js")]
    subprocess.run([*node, "index", str(corpus), "--out", str(folder / "index")], check=True, stdout=subprocess.DEVNULL)
    given = "".join(f"{json.dumps({'id': r['qid'], 'query': r['query']})}\n" for r in asked)
    run = subprocess.run(
        [*node, "retrieve", "--index", str(folder / "index"), "--branch", "fused", "-k", str(DEPTH)],
        input=given.encode(), stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    ranked: dict[str, list[str]] = {}
    for line in run.stdout.decode().splitlines():
        query, _, doc, *_ = line.split()
        ranked.setdefault(query, []).append(doc.rsplit("/", 1)[-1])
    told = []
    for row in asked:
        found = [{"id": key, "title": passages[key][0], "text": passages[key][1]} for key in ranked.get(row["qid"], [])]
        told.append({"query": row["query"], "gold": [passage_id(row["passage"])], "candidates": found})
    write_whole(args.out, "".join(f"{json.dumps(line)}\n" for line in told).encode())
    held = sum(line["gold"][0] in {c["id"] for c in line["candidates"]} for line in told)
    say(f"{len(told)} rows, {held} with their passage, {sum(not line['candidates'] for line in told)} without any")


if __name__ == "__main__":
    main(sys.argv[1:])
