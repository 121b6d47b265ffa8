"""Every data set that the shipped weights may see, with its licence and how many rows of it are used at most.

This table is the whole truth about the training data: nothing else is read for training, the model card is
written from it, and `check` refuses a row whose file is barred or held out.
"""

from dataclasses import dataclass
from fnmatch import fnmatch

# Terms that forbid training weights which are published (shared/data/README.md, "Licence rule"), and what is
# held out or trapped (shared/data/nli/README.md). Patterns over paths below shared/data.
BARRED = (
    "nli/anli/*", "nli/xnli_en/*", "nli/sick/*", "nli/imppres/*", "nli/averitec/*", "nli/mctest/*",
    "nli/wikiqa/*", "wikiqa/*", "nli/msmarco/*", "nli/qqp/*", "nli/mrpc/*", "nli/scifact/*", "swda/*",
    "nps-chat/*", "ramdocs/*", "nli/semiauto_nli/*_news*", "qa-train/multispanqa-valid*",
    # Recast from MRPC, or made from SICK's sentences.
    "nli/curriculum/syntactic_variation*", "nli/curriculum/transitive*",
)  # fmt: skip
HELD_OUT = (
    "nli/hans/*", "nli/*_dev*", "nli/*_test.*", "nli/*_test_hard*", "nli/*_val.*", "nli/*_val_*",
    "nli/snli/snli_dev*", "nli/snli/snli_test*", "nli/mnli/mnli_dev_*", "nli/lingnli/lingnli_val*",
    "nli/new_protocols/new_protocols_val*", "nli/fever/fever_dev_sr*", "nli/fever/fever_symmetric_*",
    "nli/fever/fever_adversarial*", "nli/fever/fever_triggers*", "nli/fm2/*", "nli/wice/*", "nli/contract_nli/*",
    "contract-nli/dev*", "nli/qags/*", "nli/begin/*", "nli/nq_qed/nq_qed_dev*", "nli/trecqa/trecqa_dev*",
    # Reuses the evidence of FEVER's development set.
    "nli/vitaminc/vitaminc_test_synthetic*",
    "squad/squad11-dev*", "squad/squad2-dev*", "squad/squadshifts*", "squad/squad-train-beyonce*",
    "hotpotqa/*", "musique/*", "2wikimultihop/*", "cranfield/*", "nq-open/*", "nq-qed/*", "sharc/*", "or-sharc/*",
    "canard/*", "clariq/*", "ambigqa/*", "abg-coqa/*", "conflictqa/*", "trecqa/*", "disfl-qa/*",
)  # fmt: skip
# Said by the data's own readmes to be for training although the name looks held out: SelQA's and QAMR's
# development parts (their training parts are not there) and VitaminC's real half (nothing is reported on it).
EXCEPTIONS = ("nli/selqa/selqa_dev*", "qa-train/qamr-dev*", "nli/vitaminc/vitaminc_test_real*")

WIKI = "CC BY-SA 3.0 (Wikipedia)"
MULTINLI = "OANC licence; fiction part CC BY(-SA) 3.0 or public domain"
SQUAD = "CC BY-SA 4.0"


@dataclass(frozen=True)
class Source:
    """One file. `cap`: rows at most (0: all). `kind`: nli, contracts, reading, relevance or yesno. `weight`: of its loss.
    `times`: how often each of its rows stands among the rows.
    """

    name: str
    path: str
    licence: str
    kind: str
    cap: int = 0
    weight: float = 1.0
    times: int = 1


def nli(name: str, path: str, licence: str, cap: int = 0, weight: float = 1.0) -> Source:
    return Source(name, f"nli/{path}.tsv.gz", licence, "nli", cap, weight)


SOURCES: tuple[Source, ...] = (
    nli("SNLI", "snli/snli_train_subset", SQUAD),
    nli("SNLI, more", "more/snli_train_more", SQUAD, 4_000),
    nli("SNLI, counterfactual", "cf_snli/cf_snli_train", "Apache-2.0 (SNLI text CC BY-SA 4.0)"),
    nli("MultiNLI", "mnli/mnli_train_subset", MULTINLI),
    nli("MultiNLI, more", "more/mnli_train_more", MULTINLI),
    nli("LingNLI", "lingnli/lingnli_train", "none stated; premises are MultiNLI's"),
    nli("new-protocols", "new_protocols/new_protocols_train", WIKI, 24_000),
    nli("semi-automatic NLI, Wikipedia part", "semiauto_nli/semiauto_train_wiki", WIKI, 10_000),
    nli("FEVER, gold evidence", "fever/fever_train_sr", "Wikipedia terms, else CC BY-SA 3.0", 60_000),
    nli("FEVER, retrieved neutrals", "fever/fever_train_nei_retrieved", "Wikipedia terms, else CC BY-SA 3.0", 24_000),
    nli("VitaminC, real revisions", "vitaminc/vitaminc_test_real", "Wikipedia terms, else CC BY-SA 3.0"),
    nli("WANLI sample", "more/wanli_train_disco", "CC BY 4.0 (not restated by the carrier; carrier MIT)"),
    nli("ConjNLI", "conjnli/conjnli_adv_train", "MIT", 5_000),
    nli("climate-FEVER", "climate_fever/climate_fever", "none stated (Wikipedia text)"),
    nli("InfoTabS", "more/infotabs_train", "Apache-2.0; tables CC BY-SA", 4_000),
    nli("TabFact pairs", "more/tabfact_pairs", "MIT; annotations CC BY 4.0; tables CC BY-SA", 2_400, 0.7),
    nli("FOLIO", "more/folio_train", "CC BY-SA 4.0", 700, 0.7),
    nli("ConTRoL", "curriculum/control_train", "MIT (Curriculum; ConTRoL's own terms not restated)", 1_500),
    nli("ScoNe", "scone/scone_train", "CC0 1.0", 3_000),
    nli("MED", "med/med", "CC BY-SA 4.0", 3_000),
    *(
        nli(f"Curriculum, {part}", f"curriculum/{part}_train", "MIT (templated)", 700, 0.7)
        for part in ("boolean", "comparative", "conditional", "counting", "negation", "quantifier")
    ),
    nli("Curriculum, monotonicity", "curriculum/monotonicity_infer_train", "MIT (templated)", 1_500),
    Source("ContractNLI, 50 training contracts", "contract-nli/train_truncated.json.gz", "CC BY 4.0", "contracts", times=8),
    Source("SQuAD 1.1, 44 articles", "squad/squad11-train-44-articles.tsv.gz", SQUAD, "reading"),
    Source("SQuAD 1.1, original paragraphs", "qa-train/squad11-train-raw.tsv.gz", SQUAD, "reading"),
    Source("SQuAD 1.1, detokenised", "qa-train/squad11-train-detok.tsv.gz", SQUAD, "reading"),
    Source("SQuAD 1.1, lower case", "qa-train/squad11-train-lowercase.tsv.gz", SQUAD, "reading", 1_500),
    Source("SQuAD 1.1, sentences", "qa-train/squad11-train-sentences.tsv.gz", SQUAD, "reading"),
    Source("NQ-QED", "nli/nq_qed/nq_qed_train.tsv.gz", "CC BY-SA 3.0 (Wikipedia)", "reading"),
    Source("NQ open, oracle passages", "qa-train/nq-open-oracle.tsv.gz", "MIT; NQ CC BY-SA 3.0", "reading"),
    Source("QAMR", "qa-train/qamr-dev.tsv.gz", "MIT; Wikipedia CC BY-SA, Wikinews CC BY", "reading", 4_000),
    Source("FairytaleQA", "qa-train/fairytaleqa-train-val-spans.tsv.gz", "Apache-2.0; Project Gutenberg", "reading", 2_000),
    Source("COVID-QA", "qa-train/covid-qa-paragraphs.tsv.gz", "Apache-2.0; papers CC BY", "reading", 900),
    Source("Quoref", "qa-train/quoref-superni1100.tsv.gz", "CC BY 4.0", "reading", 600),
    Source("HotpotQA and MuSiQue, 200 training questions", "qa-train/hotpot-musique-train200.tsv.gz",
           "CC BY-SA 4.0 / CC BY 4.0", "reading"),
    Source("SelQA", "nli/selqa/selqa_dev.tsv.gz", "Apache-2.0", "relevance", 6_000),
    Source("TREC-QA", "nli/trecqa/trecqa_train.tsv.gz", "none stated", "relevance", 3_000),
    Source("BoolQ sample", "nli/boolq/boolq_train_subset.tsv.gz", "CC BY-SA 3.0 (not restated)", "yesno"),
)  # fmt: skip

# What figures are reported on: a training row whose premise, question or passage stands here is dropped.
DEVELOPMENT = (
    "nli/snli/snli_dev.tsv.gz", "nli/mnli/mnli_dev_matched.tsv.gz", "nli/fever/fever_dev_sr.tsv.gz",
    "nli/fever/fever_symmetric_dev.tsv", "nli/fever/fever_symmetric_gen.tsv", "nli/lingnli/lingnli_val.tsv.gz",
    "nli/hans/hans_eval.tsv.gz", "nli/anli/anli_dev.tsv.gz", "nli/contract_nli/contract_nli_dev_spans.tsv.gz",
    "nli/cf_snli/cf_snli_dev.tsv", "nli/conjnli/conjnli_dev.tsv", "nli/nq_qed/nq_qed_dev.tsv.gz",
    "nli/trecqa/trecqa_dev.tsv", "nli/scitail/scitail_dev.tsv", "nli/fm2/fm2_dev.tsv",
    "nli/wice/wice_claim_oracle_dev.tsv.gz", "nli/healthver/healthver_dev.tsv.gz",
    "squad/squad11-dev-articles-a.tsv.gz", "squad/squad2-dev-cs224n.json.gz", "squad/squad2-dev-san-slice.json",
    "squad/squad2-dev-small.json", "squad/squadshifts-new_wiki-v1.0.json.gz",
    "hotpotqa/dev-all-7405-qa-only.json.gz", "hotpotqa/pooled-first-500-queries.jsonl",
    "hotpotqa/pooled-first-500-corpus.jsonl.gz", "nq-qed/qed-dev.jsonl.gz", "ambigqa/dev_light.json.gz",
    "contract-nli/dev.json.gz",
)  # fmt: skip


def barred(path: str) -> str | None:
    """Why a file below shared/data must not be trained on, or None."""
    if any(fnmatch(path, pattern) for pattern in BARRED):
        return "its terms do not allow weights that are published"
    if any(fnmatch(path, pattern) for pattern in EXCEPTIONS):
        return None
    if path in DEVELOPMENT or any(fnmatch(path, pattern) for pattern in HELD_OUT):
        return "it is held out"
    return None


def check(sources: tuple[Source, ...] = SOURCES) -> None:
    """Raises ValueError when the table names a file that may not be trained on, or one twice."""
    for source in sources:
        why = barred(source.path)
        if why is not None:
            raise ValueError(f"{source.name} ({source.path}) may not be trained on: {why}")
    paths = [source.path for source in sources]
    twice = {path for path in paths if paths.count(path) > 1}
    if twice:
        raise ValueError(f"listed twice: {sorted(twice)}")
