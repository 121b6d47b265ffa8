"""What kinds of training rows are worth: short runs from the same weights, each without one kind, beside one with all.

    python -m pragtrain.ablate --work WORK/second --begin BEFORE.onnx --out WORK/ablations [--groups contracts,claims]
        [--steps 200] [--sets fever,contract] [--n 1000]

Every run reads as many word pieces at the same rate; its int8 graph is measured as the product runs it. A run that is
there is not made again. Writes `OUT/NAME.json` of each and prints, for each group, the figures of the run with all rows
less those of the run without it (paired by row, 95 % bootstrap: over development rows; another seed of the run is not in it).
"""

import argparse
import json
import os
import sys
from pathlib import Path

import torch

from .evaluate import SETS, differences, measure, onnx_scorer
from .export import export, load
from .groups import GROUPS
from .sequences import Words
from .train import Config, Run
from .work import say, sha256_of, write_whole

ALL = "all rows"
SHOWN = ("accuracy", "EM", "F1", "AUROC", "R@1", "MRR@10")


def trained(name: str, config: Config, rows: Path, out: Path) -> Path:
    """The int8 graph of a run without the group `name`; goes on with a run that was broken off."""
    folder = out / name.replace(" ", "-")
    own = folder / "rows.npz"
    folder.mkdir(parents=True, exist_ok=True)
    if not own.exists():
        os.link(rows / "rows.npz", own)
    elif sha256_of(own) != sha256_of(rows / "rows.npz"):
        raise SystemExit(f"{folder} is of other rows; take another --out, or remove it to begin anew")
    # Refuses a folder of other options, also where the run is at its end.
    run = Run(config, folder, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    graph = folder / "export/whole.int8.onnx"
    if graph.exists() and (folder / "export/export.json").exists():
        return graph
    run.resume()
    say(f"without {name}: {run.last} steps" if config.without else f"{name}: {run.last} steps")
    run.train()
    if run.step < run.last:
        raise SystemExit(130)
    for left in run.checkpoints():
        left.unlink()
    export(load(folder / "model.pt"), folder / "export")
    return graph


def table(figures: dict[str, dict]) -> str:
    """Rows: figures; columns: the run with all rows, then what each group adds to it."""
    groups = [name for name in figures if name != ALL]
    more = {name: differences(figures[ALL], figures[name]) for name in groups}
    lines = [f"| {' | '.join(['figure', 'n', ALL, *groups])} |", f"|{' --- |' * (3 + len(groups))}"]
    for name, found in figures[ALL].items():
        for what in (w for w in SHOWN if w in found):
            cells = [f"{name}: {what}", str(found[what]["n"]), f"{found[what]['value']:.3f}"]
            for group in groups:
                d = more[group][name][what]
                cells.append(f"{d['more']:+.3f} [{d['low']:+.3f}, {d['high']:+.3f}]")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: list[str]) -> None:
    here = Path(__file__).parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="where prepare wrote rows.npz")
    parser.add_argument("--begin", type=Path, required=True, help="weights that all runs begin from, .pt or .onnx")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--data", type=Path, default=here / "../../../shared/data")
    parser.add_argument("--tokenizer", type=Path, default=here / "../models/bert-uncased/tokenizer.json")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--candidates", type=Path, help="candidates to re-rank (pragtrain.candidates)")
    parser.add_argument("--n", type=int, default=1000, help="rows of each set, a seeded draw; 0: all")
    args = parser.parse_args(argv)
    groups, sets = ([name for name in given.split(",") if name] for given in (args.groups, args.sets))
    for name, there in (*((g, GROUPS) for g in groups), *((s, SETS) for s in sets)):
        if name not in there:
            parser.error(f'no "{name}"; there are {", ".join(there)}')
    torch.set_num_threads(args.threads)
    words = Words(args.tokenizer)
    figures: dict[str, dict] = {}
    for name in (ALL, *groups):
        config = Config(
            begin=str(args.begin), seed=args.seed, rate=args.rate, cool=0.8, steps=args.steps, without="" if name == ALL else name
        )
        graph = trained(name, config, args.work, args.out)
        figures[name] = measure(onnx_scorer(graph, args.threads), words, args.data, sets, args.n, True, args.candidates)
        write_whole(args.out / f"{name.replace(' ', '-')}.json", f"{json.dumps({'steps': args.steps, 'n': args.n, 'figures': figures[name]})}\n".encode())  # fmt: skip
    print(table(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
