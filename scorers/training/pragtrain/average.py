"""The mean of the weights of models of one shape, such as the two ends of a run that was reopened.

    python -m pragtrain.average WORK/first/model.pt WORK/second/model.pt --out WORK/mean/model.pt

Ends of one run lie in one basin, and their mean is often better than either (Izmailov et al. 2018; Wortsman et al. 2022).
"""

import argparse
import sys
from pathlib import Path

import torch

from .work import say


def average(models: list[Path], out: Path) -> None:
    """Writes the model. Raises ValueError for fewer than two, or for models of different shapes."""
    found = [torch.load(path, map_location="cpu", weights_only=True) for path in models]
    if len(found) < 2:
        raise ValueError("a mean needs two models or more")
    shape = found[0]["shape"]
    for path, other in zip(models, found):
        if other["shape"] != shape or other["model"].keys() != found[0]["model"].keys():
            raise ValueError(f"{path} has another shape than {models[0]}")
    mean = {name: sum(one["model"][name].double() for one in found).div(len(found)).to(weight.dtype) for name, weight in found[0]["model"].items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_suffix(".part")
    torch.save({"model": mean, "shape": shape}, part)
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
