"""Manuals of Debian's packages, on which questions were written for training (`../written/questions.ndjson`).

    python -m pragtrain.manuals --work WORK/manuals --dist ../../dist

downloads each package (apt and dpkg-deb; nothing is installed), indexes its pages with the product and writes, for each,
`PACKAGE.ndjson` (the passages as the product cuts them), `PACKAGE.proposed` (questions that `pragaura label` makes of its
terms and headings, a draw) and `PACKAGE.trec` (the passages that its fused retrieval ranks for these and for the written
questions). What is there already stays. The text of the manuals is in no file of the project.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .work import say, write_whole

PASSAGES, PROPOSALS = (Path(__file__).parent.parent / name for name in ("passages.mjs", "proposals.mjs"))
WRITTEN = Path(__file__).parent.parent / "written"
QUESTIONS, WINDOWS, PAGES = WRITTEN / "questions.ndjson", WRITTEN / "windows.ndjson", WRITTEN / "pages.txt"
DEPTH = 24
# Of the questions that are made of a manual by rules, how many of each kind are drawn. Those that repeat a sentence are few:
# its words alone find it.
PROPOSED = {"term": 110, "procedure": 70, "heading": 70, "definition": 20, "comparison": 15, "quantity": 5, "place": 5, "reason": 5}
# Judged by `pragaura bench documents`, or kept for checks: nothing may be learned from them.
KEPT_APART = ("bash-doc", "gnu-standards", "installation-guide", "python3", "git-doc", "debian-policy", "postgresql-doc")


# What indexing ends with where a page was left out: all that one of LibreOffice's says is shown by a script alone.
NOT_ALL_READ = 65


@dataclass(frozen=True)
class Manual:
    """A package of Debian's main archive; the licence is that of its documentation."""

    package: str
    version: str
    licence: str


MANUALS = (
    Manual("apache2-doc", "2.4.71-1~deb12u1", "Apache-2.0"),
    Manual("aptitude-doc-en", "0.8.13-5", "GPL-2+"),
    Manual("bacula-doc", "9.6.7-2", "BSD-2-Clause"),
    Manual("bind9-doc", "1:9.18.49-1~deb12u3", "MPL-2.0"),
    Manual("borgbackup-doc", "1.2.4-1", "BSD-3-Clause"),
    Manual("cmake-doc", "3.25.1-1", "BSD-3-Clause"),
    Manual("debian-edu-doc-en", "2.12.23~deb12u1", "GPL-2+"),
    Manual("debian-faq", "11.1", "GPL-2+"),
    Manual("debian-handbook", "11.20220922", "GPL-2+ or CC BY-SA 3.0"),
    Manual("debian-reference-en", "2.100", "GPL-2+"),
    Manual("debmake-doc", "1.17-7", "Expat"),
    Manual("developers-reference", "12.18", "GPL-2+"),
    Manual("exim4-doc-html", "4.96-1", "GPL-2+"),
    Manual("ffmpeg-doc", "7:5.1.9-0+deb12u1", "LGPL-2.1+"),
    Manual("fish-common", "3.6.0-3.1+deb12u1", "GPL-2"),
    Manual("gettext-doc", "0.21-12", "GFDL-1.2+ or GPL-3+"),
    Manual("ghostscript-doc", "10.0.0~dfsg-11+deb12u9", "AGPL-3+"),
    Manual("gimp-help-en", "2.10.34-2", "GFDL-1.2+"),
    Manual("gnucash-docs", "4.13-1", "GPL-2+ or GFDL-1.1+"),
    Manual("gnuplot-doc", "5.4.4+dfsg1-2", "gnuplot"),
    Manual("haproxy-doc", "2.6.12-1+deb12u4", "GPL-2+"),
    Manual("harden-doc", "3.19+nmu1", "GPL-2"),
    Manual("kicad-doc-en", "6.0.11+dfsg-1", "GPL-3+ or CC BY 3.0"),
    Manual("libreoffice-help-en-us", "4:7.4.7-1+deb12u14", "MPL-2.0"),
    Manual("libvirt-doc", "9.0.0-4+deb12u2", "LGPL-2.1+"),
    Manual("live-manual-html", "2:20151217.2", "GPL-3+"),
    Manual("m4-doc", "1.4.19-3", "GFDL-1.3+"),
    Manual("mplayer-doc", "2:1.5+svn38408-1", "GPL-2+"),
    Manual("mutt", "2.2.12-0.1~deb12u2", "GPL-2+"),
    Manual("nodejs-doc", "18.20.4+dfsg-1~deb12u3", "Expat"),
    Manual("ntpsec-doc", "1.2.2+dfsg1-1+deb12u1", "NTP"),
    Manual("octave-doc", "7.3.0-2", "GPL-3+"),
    Manual("postfix-doc", "3.7.11-0+deb12u1", "IPL-1.0 or EPL-2.0"),
    Manual("python-django-doc", "3:3.2.25-0+deb12u7", "BSD-3-Clause"),
    Manual("python-flask-doc", "2.2.2-3", "BSD-3-Clause"),
    Manual("r-doc-html", "4.2.2.20221110-2", "GPL-2+"),
    Manual("sqlite3-doc", "3.40.1-2+deb12u2", "public domain"),
    Manual("valgrind", "1:3.19.0-1", "GFDL-1.2+"),
    Manual("varnish-doc", "7.1.1-2+deb12u1", "BSD-2-Clause"),
    Manual("wesnoth-1.16-data", "1:1.16.9-1", "GPL-2+"),
    Manual("zsh-doc", "5.9-4", "zsh (permissive)"),
)


def fetch(manual: Manual, folder: Path) -> Path:
    """The folder that the package is unpacked in. Raises SystemExit where apt does not have this version."""
    target = folder / "packages" / f"{manual.package}_{manual.version.replace(':', '-')}"
    if target.exists():
        return target
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    done = subprocess.run(["apt-get", "-qq", "download", f"{manual.package}={manual.version}"], cwd=part, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"apt cannot get {manual.package} {manual.version} ({done.stderr.strip().splitlines()[-1]}): "
                         'run "apt-get update", or name a release that has it in apt\'s sources')  # fmt: skip
    (deb,) = part.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", deb.name, "."], cwd=part, check=True)
    deb.unlink()
    os.replace(part, target)
    return target


def pages_of(manual: Manual, unpacked: Path) -> list[Path]:
    """The pages that are indexed: those that `../written/pages.txt` names."""
    lines = (line.split(" ", 1) for line in PAGES.read_text().splitlines())
    return [unpacked / page for package, page in lines if package == manual.package]


def indexed(manual: Manual, folder: Path, dist: Path) -> Path:
    """The index of its pages, which are copied beside each other first."""
    index, pages = folder / "indexes" / manual.package, folder / "pages" / manual.package
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    for file in pages_of(manual, fetch(manual, folder)):
        name = "__".join(file.parts[-2:])
        shutil.copy(file, pages / (name if name.endswith(".html") else f"{name.replace('.html', '')}.html"))
    done = subprocess.run(["node", str(dist / "main.js"), "index", str(pages), "--out", str(index)], stdout=subprocess.DEVNULL)
    if done.returncode not in (0, NOT_ALL_READ):
        done.check_returncode()
    return index


def proposed(manual: Manual, index: Path, dist: Path) -> list[dict]:
    """Questions made by rules: a seeded draw by kind, no question twice."""
    made = subprocess.run(["node", str(PROPOSALS), str(dist), str(index)], check=True, stdout=subprocess.PIPE).stdout
    by_query: dict[str, dict] = {}
    for row in map(json.loads, made.splitlines()):
        kept = by_query.setdefault(row["query"], row)
        kept["passages"] = sorted({*kept["passages"], *row["passages"]})
    rng = random.Random(f"proposed:{manual.package}")
    drawn = []
    for kind, most in PROPOSED.items():
        rows = [row for row in by_query.values() if row["kind"] == kind]
        drawn += rng.sample(rows, min(most, len(rows)))
    return [{"id": f"{manual.package}:proposed:{i}", **row} for i, row in enumerate(drawn)]


def ready(manual: Manual, asked: list[dict], folder: Path, dist: Path) -> None:
    """Passages, proposed questions and candidates of one package, unless they are there for these written questions."""
    passages, made, run, queries = (folder / f"{manual.package}.{end}" for end in ("ndjson", "proposed", "trec", "queries"))
    wanted = "".join(json.dumps({"id": row["id"], "query": row["query"]}) + "\n" for row in asked)
    if all(file.exists() for file in (passages, made, run, queries)) and queries.read_text() == wanted:
        return
    index = indexed(manual, folder, dist)
    dumped = subprocess.run(["node", str(PASSAGES), str(dist), str(index)], check=True, stdout=subprocess.PIPE)
    write_whole(passages, dumped.stdout)
    rows = proposed(manual, index, dist)
    write_whole(made, "".join(f"{json.dumps(row)}\n" for row in rows).encode())
    text = wanted + "".join(json.dumps({"id": row["id"], "query": row["query"]}) + "\n" for row in rows)
    ranked = subprocess.run(
        ["node", str(dist / "main.js"), "retrieve", "--index", str(index), "--branch", "fused", "-k", str(DEPTH), "--unit", "passage"],
        check=True, input=text.encode(), stdout=subprocess.PIPE,
    )  # fmt: skip
    write_whole(run, ranked.stdout)
    write_whole(queries, wanted.encode())
    say(f"{manual.package}: {len(dumped.stdout.splitlines())} passages, {len(asked)} questions written, {len(rows)} made by rules")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--dist", type=Path, default=Path(__file__).parents[3] / "dist")
    args = parser.parse_args()
    windows, rows = ([json.loads(line) for line in file.read_text().splitlines()] for file in (WINDOWS, QUESTIONS))
    package = {row["window"]: row["package"] for row in windows}
    for manual in MANUALS:
        ready(manual, [row for row in rows if package[row["window"]] == manual.package], args.work, args.dist)


if __name__ == "__main__":
    main()
