/** Public sets of claims with their evidence, labelled by people: what `verify` is measured on. */
import { sample, seededRandom } from '../../common/index.ts';
import { readDataFile, unreadable } from '../datasets/files.ts';

/** A claim as an answer, with what it leans on. `group`: rows on one document are not independent. */
export interface LabelledClaim {
  answer: string;
  passage: string;
  title?: string;
  supported: boolean;
  group: string;
}

/** A claim as it was judged. `eligible`: neither contradicted nor faulted without clear support. */
export interface JudgedRow {
  supported: boolean;
  group: string;
  score: number;
  eligible: boolean;
  /** Of its weakest sentence, see `supportOf`; 0 where it claims nothing. */
  support: number;
  ms: number;
}

interface SetFile {
  file: string;
  /** Labels that mean "supported"; the rest of `labels` mean "not supported", rows of other labels are left out. */
  supported: string;
  labels: readonly string[];
  /** The column that names the document; default: the evidence. */
  group?: string;
  /** The column that holds the title of the evidence. */
  title?: string;
  what: string;
}

/** None of these rows was trained on. The model read other contracts and other claims of FEVER. */
export const VERIFY_SETS = {
  wice: {
    file: 'nli/wice/wice_claim_oracle_dev.tsv.gz',
    supported: 'entailment',
    labels: ['entailment', 'partially_supported', 'not_supported'],
    what: "Wikipedia's sentences and the pages they cite; supported in part is not supported",
  },
  begin: {
    file: 'nli/begin/begin.tsv.gz',
    supported: 'entailment',
    labels: ['entailment', 'not_entailment'],
    what: 'replies of language models and the text that they were to lean on; "generic" ones left out',
  },
  healthver: {
    file: 'nli/healthver/healthver_dev.tsv.gz',
    supported: 'entailment',
    labels: ['entailment', 'neutral', 'contradiction'],
    what: 'claims on an epidemic and sentences of papers',
  },
  fm2: {
    file: 'nli/fm2/fm2_dev.tsv',
    supported: 'entailment',
    labels: ['entailment', 'contradiction'],
    group: 'page',
    title: 'page',
    what: 'claims made to fool their readers, with evidence of Wikipedia',
  },
  averitec: {
    file: 'nli/averitec/averitec_dev.tsv.gz',
    supported: 'entailment',
    labels: ['entailment', 'contradiction', 'neutral', 'conflicting'],
    what: 'claims of public life, with questions and answers of those who checked them',
  },
  contracts: {
    file: 'nli/contract_nli/contract_nli_dev_spans.tsv.gz',
    supported: 'entailment',
    labels: ['entailment', 'neutral', 'contradiction'],
    group: 'doc_id',
    what: 'hypotheses on contracts and their clauses (ContractNLI)',
  },
  fever: {
    file: 'nli/fever/fever_dev_sr.tsv.gz',
    supported: 'entailment',
    labels: ['entailment', 'contradiction'],
    what: 'claims on Wikipedia with gold evidence',
  },
} as const satisfies Record<string, SetFile>;

export type VerifySet = keyof typeof VERIFY_SETS;

/**
 * At most `limit` rows of a set, drawn with a seed. Throws NOT_FOUND, and UNREADABLE_DOCUMENT for a file without the
 * columns label, premise and hypothesis.
 */
export async function claimsOfSet(name: VerifySet, data: string, limit: number): Promise<LabelledClaim[]> {
  const { file, supported, labels, group = 'premise', title }: SetFile = VERIFY_SETS[name];
  const [head = '', ...lines] = (await readDataFile(data, file)).trimEnd().split('\n');
  const columns = head.split('\t');
  const grouping = columns.indexOf(group);
  if (!head.startsWith('label\tpremise\thypothesis') || grouping < 0) {
    throw unreadable(
      file,
      `its first line has to begin with label, premise, hypothesis, and to name ${group}`,
    );
  }
  const rows = lines.flatMap((line, i) => {
    const row = line.split('\t');
    const [label, passage, answer] = row;
    const document = row[grouping];
    if (label === undefined || passage === undefined || answer === undefined || document === undefined) {
      throw unreadable(`${file}, line ${i + 2}`, 'it has fewer columns than the first line');
    }
    if (!labels.includes(label)) return [];
    const titled = title !== undefined && { title: row[columns.indexOf(title)]! };
    return [{ answer, passage, ...titled, supported: label === supported, group: document }];
  });
  return sample(rows, limit, seededRandom(1));
}
