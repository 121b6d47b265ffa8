"""The mean of the weights of models of one shape, such as the two ends of a run that was reopened, or what a run began
from and what it came to.

    python -m pragtrain.average WORK/first/model.pt WORK/second/model.pt --out WORK/mean/model.pt

Ends of one run lie in one basin, and their mean is often better than either (Izmailov et al. 2018; Wortsman et al. 2022).
"""

import argparse
import sys
from pathlib import Path

import torch

from .export import load
from .work import say


def average(models: list[Path], out: Path) -> None:
    """Writes the model. Raises ValueError for fewer than two, or for models of different shapes."""
    if len(models) < 2:
        raise ValueError("a mean needs two models or more")
    found = [load(path) for path in models]
    shape = found[0].shape
    for path, other in zip(models, found):
        if other.shape != shape:
            raise ValueError(f"{path} has another shape than {models[0]}")
    weights = [one.state_dict() for one in found]
    mean = {name: sum(one[name].double() for one in weights).div(len(found)).to(weight.dtype) for name, weight in weights[0].items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_suffix(".part")
    torch.save({"model": mean, "shape": shape.record()}, part)
    part.replace(out)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    average(args.models, args.out)
    say(f"{args.out}: the mean of {len(args.models)} models")


if __name__ == "__main__":
    main(sys.argv[1:])
