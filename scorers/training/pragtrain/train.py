"""Trains the cross-encoder in one pass; called again with the same arguments it goes on where it stopped.

    python -m pragtrain.train --work WORK [--steps N] [--device cuda]

Reads `WORK/rows.npz` (see `prepare.py`), writes `WORK/config.json`, `WORK/log.jsonl`, `WORK/checkpoint-STEP.pt` (the
last two) and in the end `WORK/model.pt`. bf16 autocast where it is quicker; on a CPU attention written out, no dropout, fused AdamW.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from .export import load
from .groups import kept_rows
from .model import CrossEncoder, Shape, loss_beside, loss_of
from .store import Store, order
from .trunks import TRUNKS, fetch
from .work import say, sha256_of, write_whole

EVERY_SECONDS = 540
KEPT = 2
REPORT = 10
# What a teacher can be learned from for.
HEADS = ("nli", "relevance", "early", "listwise", "span")


@dataclass(frozen=True)
class Config:
    """All that decides the outcome of a run, beside the rows. `tokens`: padded word pieces a step."""

    trunk: str = "e5-small-v2"
    # A model of the same trunk to go on from, .pt or .onnx; empty: the trunk and new heads.
    begin: str = ""
    layers: int = 12
    exit: int = 6
    # Layers that stay as they are, counted from below, and the embeddings with them: a run that only ranks otherwise is a third quicker.
    frozen: int = 0
    seed: int = 1
    tokens: int = 8_192
    rate: float = 1.5e-4
    warm: float = 0.03
    # Share of the steps, from here to the end, over which the rate falls to nothing.
    cool: float = 0.6
    decay: float = 0.01
    early: float = 0.5
    clip: float = 1.0
    # Kinds of rows left out (`groups.py`), separated by commas: what were they worth?
    without: str = ""
    # A finished model (.pt) that is learned from beside the labels, and how much of the loss is its.
    teacher: str = ""
    taught: float = 0.5
    # Losses that are its, of nli, relevance, early, listwise and span, separated by commas; empty: all. The shipped model as
    # teacher of nli and span alone holds these where they are while ranking learns.
    heads: str = ""
    # Steps of the whole run; 0: one pass over the rows.
    steps: int = 0
    passes: int = 1


@dataclass(frozen=True)
class Losses:
    """`parts`: sums over rows by name, and `total`, whose gradient is taken. `rows`: how many rows each part is of."""

    parts: dict[str, torch.Tensor]
    rows: dict[str, torch.Tensor | float]
    tokens: int


class Run:
    """One training run in a folder."""

    teacher: CrossEncoder | None = None

    def __init__(self, config: Config, work: Path, device: torch.device):
        self.work, self.device, self.config = work, device, config
        found = self.read()
        self.steps = min(config.steps, found) if config.steps else found
        self._remember()
        torch.manual_seed(config.seed)
        self.model = self.build()
        self.model.to(device)
        self.narrow = fast_in_16_bits(device)
        learned = [p for p in self.model.parameters() if p.requires_grad]
        matrices = [p for p in learned if p.dim() > 1]
        others = [p for p in learned if p.dim() < 2]
        groups = [{"params": matrices, "weight_decay": config.decay}, {"params": others, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=config.rate, betas=(0.9, 0.98), fused=True)
        self.step = 0
        self.seconds = 0.0
        self.tokens = 0
        self.last = self.steps
        self.falls: tuple[int, float] | None = None

    def read(self) -> int:
        """Reads the rows; how many batches they make."""
        config = self.config
        self.store = Store.load(self.work / "rows.npz")
        kept = kept_rows(self.store, config.without)
        self.heads = heads_of(config)
        # What nobody judged: only a teacher says whether it answers.
        if not config.teacher or "relevance" not in self.heads:
            kept = kept[self.store.weight[kept] > 0]
        self.batches: list[np.ndarray] = []
        for turn in range(config.passes):
            self.batches += [kept[b] for b in order(self.store.lengths[kept], self.store.group[kept], config.seed + turn, config.tokens)]
        return len(self.batches)

    def size(self) -> str:
        """What it learns from, in words."""
        return f"{len(self.store)} rows"

    def build(self) -> CrossEncoder:
        if self.config.teacher:
            self.teacher = load(Path(self.config.teacher)).to(self.device)
        model = self._of_shape(load(Path(self.config.begin))) if self.config.begin else self._with_new_heads()
        if self.config.frozen:
            model.freeze(self.config.frozen)
        return model

    def _with_new_heads(self) -> CrossEncoder:
        trunk = TRUNKS[self.config.trunk]
        model = CrossEncoder(
            Shape(layers=self.config.layers, width=trunk.width, inner=4 * trunk.width, exit=self.config.exit, buckets=trunk.buckets)
        )
        model.start_heads()
        model.take_trunk(load_file(fetch(self.config.trunk, self.work.parent / "trunks")))
        return model

    def origin(self) -> dict[str, str]:
        """What is remembered of the weights that it began with, and of its teacher's."""
        files = {"begun": self.config.begin, "teacher": self.config.teacher}
        return {name: sha256_of(Path(file)) for name, file in files.items() if file}

    def _of_shape(self, model: CrossEncoder) -> CrossEncoder:
        found = (model.shape.layers, model.shape.exit)
        if found != (self.config.layers, self.config.exit):
            raise SystemExit(f"{self.config.begin} has {found[0]} layers and an exit after {found[1]}: say --layers, --exit")
        return model

    def losses(self) -> Losses:
        """Of the batch of this step."""
        # Fused attention of a GPU wants lengths of eights.
        whole = self.store.batch(self.batches[self.step], multiple=8 if self.device.type == "cuda" else 1)
        batch = {name: torch.from_numpy(values).to(self.device) for name, values in whole.items()}
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.narrow):
            found = self.model(batch["ids"], batch["segments"], batch["mask"])
            if self.teacher is not None:
                with torch.no_grad():
                    taught = self.teacher(batch["ids"], batch["segments"], batch["mask"])
        kind = batch["kind"]
        counts = {"nli": kind == 0, "relevance": (kind == 1) | (kind == 2), "span": (kind == 1) | (kind == 3)}
        counts["early"] = counts["relevance"]
        counts["listwise"] = (batch["group"] >= 0) & (batch["label"] == 1)
        rows = {name: held.sum() for name, held in counts.items()}
        parts = loss_of(found, batch, self.config.early)
        if self.teacher is not None:
            beside, share = loss_beside(found, taught, batch, self.config.early), self.config.taught
            parts |= {name: (1 - share) * parts.get(name, 0.0) + share * beside[name] for name in self.heads if name in beside}
            parts["total"] = sum(loss for name, loss in parts.items() if name != "total") / len(batch["kind"])
        return Losses(parts, rows, batch["ids"].numel())

    def _remember(self) -> None:
        """Writes what this run is; refuses a folder in which another was begun."""
        record = self.work / "config.json"
        now = {"config": asdict(self.config), "rows": sha256_of(self.work / "rows.npz"), "steps": self.steps, **self.origin()}
        if record.exists() and json.loads(record.read_text()) != now:
            raise SystemExit(f"{record} is of another run; take another --work, or remove it to begin anew")
        write_whole(record, f"{json.dumps(now, indent=1)}\n".encode())

    def rate(self, step: int) -> float:
        """Learning rate of a step: linear up, held, then linear down to nothing at the last step.

        Holding first keeps the choice of when to stop open: `finish` brings the fall forward.
        """
        warm = max(1, int(self.config.warm * self.steps))
        planned = min(1.0, (step + 1) / warm, (self.steps - step) / max(1.0, self.config.cool * self.steps))
        if self.falls is None:
            return self.config.rate * planned
        begin, share = self.falls
        return self.config.rate * share * max(0.0, (self.last - step) / max(1, self.last - begin))

    def finish(self, steps: int) -> None:
        """Ends the run `steps` from here: the rate falls from what it is to nothing over them."""
        if self.falls is not None:
            raise SystemExit(f"the run is already ending, at step {self.last}")
        self.falls = (self.step, self.rate(self.step) / self.config.rate)
        self.last = min(self.steps, self.step + steps)
        self.save()

    def reopen(self) -> None:
        """Takes an earlier `finish` back: the planned rate from here on (a warm restart: Loshchilov and Hutter 2017)."""
        if self.falls is None:
            raise SystemExit("the run was not ended early; without --reopen it goes on")
        self.falls, self.last = None, self.steps
        (self.work / "model.pt").unlink(missing_ok=True)
        self.save()

    def checkpoints(self) -> list[Path]:
        return sorted(self.work.glob("checkpoint-*.pt"))

    def resume(self) -> None:
        for path in reversed(self.checkpoints()):
            try:
                saved = torch.load(path, map_location=self.device, weights_only=True)
            except Exception as error:  # torch raises whatever a half file makes its reader stumble over
                say(f"{path.name} cannot be read ({error}); the one before it")
                continue
            self.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.step, self.seconds, self.tokens = saved["step"], saved["seconds"], saved["tokens"]
            self.last, self.falls = saved["last"], saved["falls"]
            say(f"goes on after step {self.step} of {self.last}")
            return

    def save(self) -> None:
        target = self.work / f"checkpoint-{self.step:06d}.pt"
        part = target.with_suffix(".part")
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": self.step}
        torch.save({**state, "seconds": self.seconds, "tokens": self.tokens, "last": self.last, "falls": self.falls}, part)
        os.replace(part, target)
        for old in self.checkpoints()[:-KEPT]:
            old.unlink()

    def train(self, until: int | None = None) -> None:
        """Runs to step `until` (default: the end). A signal to end saves first."""
        stop: list[int] = []
        handlers = {n: signal.signal(n, lambda n, _frame: stop.append(n)) for n in (signal.SIGTERM, signal.SIGINT)}
        last = min(until or self.last, self.last)
        sums: dict[str, torch.Tensor | float] = {}
        began = saved = mark = time.monotonic()
        seen = 0
        before = self.seconds
        self.model.train()
        while self.step < last and not stop:
            rate = self.rate(self.step)
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            found = self.losses()
            self.optimizer.zero_grad(set_to_none=True)
            found.parts["total"].backward()
            norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
            if not torch.isfinite(norm):
                raise SystemExit(f"step {self.step}: the gradient is not finite")
            self.optimizer.step()
            self.step += 1
            seen += found.tokens
            self.tokens += found.tokens
            self._add(sums, found)
            now = time.monotonic()
            self.seconds = before + now - began
            if self.step % REPORT == 0 or self.step == last:
                self._report(sums, rate, seen / (now - mark))
                sums, mark, seen = {}, now, 0
            if now - saved > EVERY_SECONDS:
                self.save()
                saved = now
        self.save()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if self.step == self.last:
            part = self.work / "model.part"
            torch.save({"model": self.model.state_dict(), "shape": self.model.shape.record()}, part)
            os.replace(part, self.work / "model.pt")
            say(f"done: {self.tokens / 1e6:.1f} M word pieces in {self.seconds / 3600:.2f} h")

    @staticmethod
    def _add(sums: dict[str, torch.Tensor | float], found: Losses) -> None:
        """As tensors: to read a number would wait for the device."""
        for name, rows in found.rows.items():
            if name in found.parts:
                sums[name] = sums.get(name, 0.0) + found.parts[name].detach()
                sums[f"{name} rows"] = sums.get(f"{name} rows", 0.0) + rows

    def _report(self, sums: dict[str, torch.Tensor | float], rate: float, speed: float) -> None:
        sums = {name: float(value) for name, value in sums.items()}
        means = {k: round(v / max(1.0, sums[f"{k} rows"]), 4) for k, v in sums.items() if not k.endswith(" rows")}
        line = {"step": self.step, "of": self.last, **means, "rate": round(rate, 8), "tokens_s": round(speed)}
        line.update(tokens=self.tokens, seconds=round(self.seconds), at=time.strftime("%Y-%m-%dT%H:%M:%S"))
        with (self.work / "log.jsonl").open("a") as log:
            log.write(f"{json.dumps(line)}\n")
        left = (self.last - self.step) / max(1, self.step) * self.seconds
        say(f"{self.step}/{self.last} {means} {speed:.0f} tokens/s, {left / 3600:.1f} h left")


def heads_of(config: Config) -> tuple[str, ...]:
    """Losses of which a share is the teacher's. Raises SystemExit for a name that is none."""
    named = tuple(config.heads.split(",")) if config.heads else HEADS
    for name in named:
        if name not in HEADS:
            raise SystemExit(f'no loss is named "{name}"; there are {", ".join(HEADS)}')
    return named


def fast_in_16_bits(device: torch.device) -> bool:
    """Whether bf16 is quicker than float there: a CPU without instructions for it takes ten times as long."""
    if device.type != "cpu":
        return True
    known = Path("/proc/cpuinfo")
    return not known.exists() or any(flag in known.read_text() for flag in ("avx512_bf16", "amx_bf16"))


def command(argv: list[str], about: str | None, config: type, begin: Callable[..., "Run"], tokenizer: bool = False) -> None:
    """The command line of a training: an option for each field of `config`; `begin(config, work, device)` makes the run
    (with `tokenizer`, its file is an option and a fourth argument)."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    if tokenizer:
        own = Path(__file__).parents[1] / "../models/bert-uncased/tokenizer.json"
        parser.add_argument("--tokenizer", type=Path, default=own)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--until", type=int, help="stop after this step; the same command goes on")
    parser.add_argument("--finish", type=int, help="end this many steps after the last checkpoint, and make model.pt")
    parser.add_argument("--reopen", action="store_true", help="take an earlier --finish back: go on at the planned rate")
    for name, value in asdict(config()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    if args.device == "cpu" and "tcmalloc" not in os.environ.get("LD_PRELOAD", ""):
        say("without tcmalloc in LD_PRELOAD a CPU spends most of its time on page faults (see README.md)")
    chosen = config(**{name: getattr(args, name) for name in asdict(config())})
    run = begin(chosen, args.work, torch.device(args.device), *([args.tokenizer] if tokenizer else []))
    run.resume()
    if args.reopen:
        run.reopen()
    if args.finish is not None:
        run.finish(args.finish)
    say(f"{run.size()}, {run.last} steps, {args.device}, {args.threads} threads")
    run.train(args.until)


if __name__ == "__main__":
    command(sys.argv[1:], __doc__, Config, Run)
