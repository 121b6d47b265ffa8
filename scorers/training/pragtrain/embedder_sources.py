"""What the embedder is trained on, and what its mixing with the trunk is chosen on: both by names of `sources.SOURCES`.

Two thirds of that table serve entailment alone. Left out beside those: QAMR, FairytaleQA and Quoref, whose questions
make sense only to who has their passage before him ("What did he do?"); climate-FEVER, on which figures are reported.
"""

from .sources import SOURCES, Source, barred

# Questions with paragraphs; all that `questions_of` gives is mined, these are trained on.
QUESTIONS = (
    "SQuAD 1.1, 44 articles", "SQuAD 1.1, original paragraphs", "SQuAD 1.1, detokenised", "SQuAD 1.1, lower case",
    "SQuAD 1.1, sentences", "NQ-QED", "NQ open, oracle passages",
)  # fmt: skip
CLAIMS = "FEVER, gold evidence"
SENTENCES = "SelQA"
# Written questions on manuals, and those that are made of them by rules (`manuals.py`).
MANUALS, PROPOSED = "questions on manuals", "questions made of manuals"
PUBMED = Source("PubMedQA", "nli/pubmedqa/pubmedqa_labeled.tsv.gz", "MIT", "relevance")

# The share of the trunk in the weights is chosen on these, which training does not see: articles of its own kind, and
# two sets of other kinds. All may be trained on, so that no development set is spent.
CHOOSE_ARTICLES = 4
CHOOSE_MANUALS = 6
CHOOSE_PAPERS = "COVID-QA"
CHOOSE_SENTENCES = "TREC-QA"

TABLE: dict[str, Source] = {source.name: source for source in (*SOURCES, PUBMED)}


def check() -> None:
    """Raises KeyError for a source that is not in the table, ValueError for one that may not be trained on."""
    for name in (*QUESTIONS, CLAIMS, SENTENCES, PUBMED.name, CHOOSE_PAPERS, CHOOSE_SENTENCES):
        why = barred(TABLE[name].path)
        if why is not None:
            raise ValueError(f"{name} may not be trained on: {why}")
