import { type Random, randomInteger, sample, seededRandom } from '../../../common/index.ts';
import { loadSquad2 } from '../../datasets/squad2.ts';
import { loadGlosses } from '../../datasets/wordnet.ts';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { ASIDE, COMPARE, MEANING } from './term-wordings.ts';

interface Term {
  label: string;
  synonym: string;
  definition: string;
}

/** Terms that the vocabulary has, and others. */
const KNOWN = 400;
const UNKNOWN = 120;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * A vocabulary of WordNet nouns of one meaning, beside paragraphs that say nothing about them. What a term means is
 * answered by its definition, whether it is called by its name or by its synonym; of a term that the vocabulary lacks, or
 * that is misspelled, it is asked what is meant; anything else about a term is in no document.
 */
export async function loadTerms(dir: string): Promise<DecisionSet> {
  const random = seededRandom(17);
  const terms = sample(await nounsOfOneMeaning(), KNOWN + UNKNOWN, random);
  const known = terms.slice(0, KNOWN);
  const unknown = terms.slice(KNOWN);
  const { documents } = await loadSquad2(dir, { titles: true });
  const queries = [
    ...asked('name', MEANING, 5, known, ({ label }) => label, 'ANSWER'),
    ...asked('synonym', MEANING, 5, known, ({ synonym }) => synonym, 'ANSWER'),
    ...asked('unknown', MEANING, 5, unknown, ({ label }) => label, 'ASK'),
    ...asked('misspelled', MEANING, 5, known, ({ label }) => misspelled(label, random), 'ASK'),
    ...asked('aside', ASIDE, 10, known, ({ label }) => label, 'ABSTAIN'),
    ...asked('compared', COMPARE, 10, known, ({ label }) => label, 'ABSTAIN'),
  ];
  return {
    about:
      `a vocabulary of ${KNOWN} WordNet nouns beside the paragraphs of SQuAD 2.0 dev: what a term means, by its name or ` +
      'its synonym, is ANSWER (its definition); of a term that is not there or misspelled, ASK; anything else about a ' +
      'term is ABSTAIN, and ASK counts as right there; wordings by somebody who had not seen the layer',
    documents,
    vocabulary: vocabularyCsv(known),
    queries,
  };
}

/** Each wording `times` times, of another term each; a term is in one question of its kind. */
function asked(
  kind: string,
  wordings: readonly string[],
  times: number,
  terms: readonly Term[],
  called: (term: Term) => string,
  action: DecisionQuery['action'],
): DecisionQuery[] {
  return Array.from({ length: wordings.length * times }, (_, n): DecisionQuery => {
    const term = terms[n % terms.length]!;
    const other = terms[(n + 1) % terms.length]!;
    return {
      id: `terms:${kind}-${n}`,
      query: worded(wordings[n % wordings.length]!, called(term), called(other)),
      group: term.label,
      source: 'terms',
      fits: false,
      action,
      ...(action === 'ANSWER' && { answers: [term.definition] }),
      ...(action === 'ABSTAIN' && { also: 'ASK' as const }),
    };
  });
}

function worded(wording: string, term: string, other: string): string {
  const put = (text: string, mark: string, name: string) =>
    text.replace(`a ${mark}`, /^[aeiou]/.test(name) ? `an ${mark}` : `a ${mark}`).replace(mark, name);
  return put(put(wording, '{term}', term), '{other}', other);
}

/** Two letters that stand side by side change places, or one is left out. */
function misspelled(label: string, random: Random): string {
  const at = 1 + randomInteger(random, label.length - 3);
  const [one, next] = [label[at]!, label[at + 1]!];
  const swaps = one !== next && LETTERS.includes(one) && LETTERS.includes(next);
  return `${label.slice(0, at)}${swaps ? next + one : next}${label.slice(at + 2)}`;
}

/** Nouns of six letters or more, each in one synset only, with a synonym and a gloss; in small letters. */
async function nounsOfOneMeaning(): Promise<Term[]> {
  const nouns = (await loadGlosses()).filter(({ docId }) => docId.startsWith('n'));
  const meanings = new Map<string, number>();
  const wordsOf = (title: string) => title.split(', ');
  for (const { title } of nouns) {
    for (const word of wordsOf(title).map((own) => own.toLowerCase()))
      meanings.set(word, (meanings.get(word) ?? 0) + 1);
  }
  return nouns.flatMap(({ title, text }) => {
    const [label, synonym] = wordsOf(title).filter(
      (word) => /^[a-z][a-z ]{5,23}$/.test(word) && meanings.get(word) === 1,
    );
    const definition = text.split('; "')[0]!.trim();
    return label === undefined || synonym === undefined ? [] : [{ label, synonym, definition }];
  });
}

function vocabularyCsv(terms: readonly Term[]): string {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = terms.map(({ label, synonym, definition }) =>
    [label, synonym, definition].map(cell).join(','),
  );
  return `term,synonym,definition\n${rows.join('\n')}\n`;
}
