import { oneLine } from '../../common/index.ts';
import type { Act } from '../../profiles/index.ts';
import { type AskedTurn, askedOn, askedTurns, type Turn } from '../history/index.ts';
import { contentStems, expectedResolution, type Missing } from '../state/index.ts';
import { expectedGain } from './gain.ts';
import { posterior, topical } from './posterior.ts';
import type { AskedQuestion, Option, VariableKind } from './record.ts';
import { keyOf, readingOf, specified } from './text.ts';
import type { ClarifyInput, ClarifyingQuestion, Voice } from './types.ts';
import { type Split, splits, subjects } from './values.ts';
import { wording } from './wording.ts';

const MOST_OPTIONS = 4;
/** A question that is expected to tell less than this many bits is not worth asking. */
const LEAST_GAIN = 0.2;
/** Least score of the best answer (a probability) for a question that tells answers apart. */
const LEAST_ANSWER = 0.15;

/**
 * How likely a user can tell the value, the paper's criterion (b) after Eq. 16. By hand, in the order in which people
 * know things about their own question; nothing here was fitted.
 */
const TOLD: Readonly<Record<VariableKind, number>> = {
  identifier: 0.95,
  reference: 0.95,
  term: 0.9,
  modifier: 0.9,
  aspect: 0.9,
  required: 0.9,
  condition: 0.85,
  time: 0.85,
  name: 0.75,
  subject: 0.7,
  comparison: 0.7,
  where: 0.85,
};

/** Pieces without which no passage can be held against the query at all: asked for before anything else, in this order. */
const FIRST: readonly VariableKind[] = ['identifier', 'term', 'reference'];

/** Acts whose answer is one value: two texts that differ answer differently. Of others many may be right at once. */
const ONE_VALUE: ReadonlySet<Act> = new Set(['FACT', 'QUANTITY', 'VERIFICATION', 'NOT_A_QUESTION']);
/** What is asked for a word of the query itself, whatever the passages say of it. */
const IN_THE_QUERY: ReadonlySet<VariableKind> = new Set(['modifier', 'aspect', 'required', 'reference']);

interface Candidate {
  kind: VariableKind;
  variable: string;
  options: Option[];
  gain: number;
}

/**
 * The one question whose answer would help most, or null when none would. A piece that the query itself lacks (an
 * identifier or word that the corpus does not know but nearly has, a pronoun) comes first; otherwise it is the
 * variable with the largest expected information gain over the posterior of the answers, times the chance that a user
 * can tell it. Answers are not offered as options: whoever asks does not know them; what is offered is what they differ
 * in. What labelled queries of this kind lacked is asked for last, or by what its values tell. Only a query that names a topic and asks nothing of it is given the topic's aspects to choose from. What the user was
 * asked for on the way to this query and replied to, be it that nothing was chosen, is not asked for again. Pure; English;
 * time bounded by 12 voices and windows of a sentence.
 */
export function chooseQuestion(input: ClarifyInput): ClarifyingQuestion | null {
  const voices = posterior(input);
  const replied = repliedTo(input.query, input.history ?? [], input.state.turn > 0);
  // Where no passage answers, it does not help to know which of them is meant.
  const answered = (input.answers.clusters[0]?.score ?? 0) >= LEAST_ANSWER;
  const single = input.act === undefined || ONE_VALUE.has(input.act.label);
  const apart = (answered ? splits(input, voices) : [])
    .filter(({ kind }) => single || IN_THE_QUERY.has(kind))
    .flatMap((split) => fromSplit(input, voices, split) ?? []);
  const candidates = [
    ...input.state.missing.flatMap((missing) => fromMissing(input, voices, missing) ?? []),
    ...openConditions(input),
    ...apart,
    ...required(input.state, apart),
  ].filter(({ variable }) => !replied.has(variable));
  const rank = ({ kind }: Candidate): number => (FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length);
  const score = ({ kind, gain }: Candidate): number => gain * TOLD[kind];
  candidates.sort((a, b) => rank(a) - rank(b) || score(b) - score(a));
  const [chosen, ...others] = candidates;
  if (chosen === undefined) return null;
  const { kind, variable, options, gain } = chosen;
  const { known, missing } = input.state;
  return {
    kind,
    variable,
    message: wording(
      kind,
      variable,
      options.map(({ value }) => value),
    ),
    options,
    gain,
    resolution: expectedResolution(
      known.filter(({ grounded }) => grounded).length,
      missing.length,
      1,
      TOLD[kind],
    ),
    considered: others.map((one) => ({ kind: one.kind, variable: one.variable, score: score(one) })),
  };
}

/** What the user was asked for already and has replied to, however it is spelled; see `askedOn`. */
export function repliedTo(...asked: Parameters<typeof askedOn>): {
  size: number;
  has(variable: string): boolean;
} {
  const keys = new Set([...askedOn(...asked)].map(keyOf));
  return { size: keys.size, has: (variable) => keys.has(keyOf(variable)) };
}

/** Pieces that the question's own words name, or that the collection has one of: asked for again, they are the same. */
const ONE_OF_A_NAME: ReadonlySet<VariableKind> = new Set([
  'identifier',
  'term',
  'modifier',
  'aspect',
  'required',
  'where',
]);

/** A question as it is about to be put; `question` is null where only words of the user's own would help. */
export interface ToAsk {
  /** What the user said, and that as it stands without its history. */
  said: string;
  text: string;
  message: string;
  suggestions: readonly string[];
  question: Pick<AskedQuestion, 'kind' | 'variable' | 'options'> | null;
}

/** Choices that two questions share at least where they are one in other words. */
const SHARED = 2;

/**
 * The last time that the user was asked the same in this conversation, and what came of it; null where that was never asked. The
 * same is a piece of the same name, a choice between the same things or with one that was chosen then, and the same words
 * about the same words. Pure.
 */
export function repeatedIn(history: readonly Turn[], asking: ToAsk): AskedTurn | null {
  const { said, text, message, suggestions, question } = asking;
  const named = question !== null && ONE_OF_A_NAME.has(question.kind) ? keyOf(question.variable) : null;
  const values = new Set((question?.options.map(({ value }) => value) ?? suggestions).map(keyOf));
  const words = [said, text].map(keyOf);
  const found = askedTurns(history).findLast((one) => {
    if (named !== null && keyOf(one.variable) === named) return true;
    if (one.values.some((value) => values.has(keyOf(value)))) return true;
    const shared = new Set(one.options.map(keyOf).filter((option) => values.has(option)));
    return shared.size >= SHARED || (one.message === message.trim() && words.includes(keyOf(one.about)));
  });
  return found ?? null;
}

/**
 * Whether a query names a piece that the user was asked for earlier and gave a value to, and not that value: then the same
 * question is likely to come up, and what was replied is to be put in its place. Pure.
 */
export function mayRepeat(query: string, history: readonly Turn[]): boolean {
  if (history.length === 0) return false;
  const stems = contentStems(query.slice(0, 2_000));
  return askedTurns(history).some(({ variable, values }) => {
    const [value] = values;
    if (value === undefined || values.length > 1) return false;
    const piece = contentStems(variable);
    const held = piece.size > 0 && [...piece].every((stem) => stems.has(stem));
    return held && [...contentStems(value)].some((stem) => !stems.has(stem));
  });
}

/** Where to look, of the folders that a question may be answered from; `weight`: share of what was found that lies there. */
export function whereQuestion(query: string, folders: readonly Omit<Option, 'query'>[]): ClarifyingQuestion {
  const offered = folders.slice(0, MOST_OPTIONS);
  const total = offered.reduce((sum, { weight }) => sum + weight, 0);
  return {
    kind: 'where',
    variable: 'where',
    message: wording(
      'where',
      'where',
      offered.map(({ value }) => value),
    ),
    options: offered.map((folder) => ({ ...folder, query: specified(query, folder.value) })),
    gain: offered.reduce((sum, { weight }) => sum - (weight / total) * Math.log2(weight / total), 0),
    resolution: null,
    considered: [],
  };
}

/** A question that somebody else worded, about a word of the query or what it is about, with values of the documents. */
export function questionAbout(
  input: Pick<ClarifyInput, 'query' | 'evidence'>,
  { kind, variable }: { kind: 'term' | 'subject'; variable: string },
  message: string,
  values: readonly string[],
): ClarifyingQuestion | null {
  const { query } = input;
  const found = ofCorpus(input, kind, variable, values, (value) =>
    readingOf(query, { kind, variable }, value),
  );
  return found === null ? null : { ...found, message, resolution: TOLD[kind], considered: [] };
}

function fromMissing(
  input: ClarifyInput,
  voices: readonly Voice[],
  { kind, text }: Missing,
): Candidate | null {
  const { query, identifiers, nearTerms } = input;
  if (kind === 'identifier') {
    const near = identifiers.find(({ id }) => id === text)?.near ?? [];
    return ofCorpus(input, 'identifier', text, near, (value) =>
      readingOf(query, { kind, variable: text }, value),
    );
  }
  if (kind === 'term') {
    return ofCorpus(input, 'term', text, nearTerms?.get(text) ?? [], (value) =>
      readingOf(query, { kind, variable: text }, value),
    );
  }
  if (kind !== 'reference' && kind !== 'comparison') return null;
  const about: Split = { kind, variable: text, values: subjects(voices.map(({ passage }) => passage.title)) };
  const found = fromSplit(input, voices, about);
  if (found !== null) return found;
  // One answer stands out, or none does; what is meant may still be any of the things that passages on the topic are about.
  const onTopic = topical(query, input.evidence);
  const titles = input.evidence.flatMap(({ passageId, title }) => (onTopic.has(passageId) ? [title] : []));
  const named = [...new Set(subjects(titles.slice(0, MOST_OPTIONS)))].filter((value) => value !== null);
  const reading = (value: string) => readingOf(query, { kind, variable: text }, value);
  if (named.length > 1) return ofCorpus(input, kind, text, named, reading);
  // Nothing to offer, yet the piece is missing: the user is asked for words of their own.
  return { kind, variable: text, options: [], gain: 0 };
}

/** Values from a list of the whole corpus, all as likely; each with the retrieved passages that hold it. */
function ofCorpus(
  { evidence }: Pick<ClarifyInput, 'evidence'>,
  kind: VariableKind,
  variable: string,
  near: readonly string[],
  reading: (value: string) => string,
): Candidate | null {
  const values = [...new Set(near)].slice(0, MOST_OPTIONS);
  if (values.length === 0) return null;
  const options = values.map((value) => {
    const holding = evidence.filter(({ title, text }) => title.includes(value) || text.includes(value));
    const about = kind === 'identifier' ? aboutOf(value, holding) : null;
    return {
      value,
      passageIds: holding.map(({ passageId }) => passageId),
      weight: 1 / values.length,
      query: reading(value),
      ...(about !== null && { about }),
    };
  });
  return { kind, variable, options, gain: Math.log2(Math.max(2, values.length)) };
}

/** What an identifier is: the part of a title that has it and more, else the sentence that names it first. */
function aboutOf(
  id: string,
  holding: readonly Pick<ClarifyInput['evidence'][number], 'title' | 'text'>[],
): string | null {
  const titles = holding.flatMap(({ title }) => title.split(' > ').filter((part) => part.includes(id)));
  const sentences = holding.flatMap(({ text }) => {
    const from = text.indexOf(id);
    return from < 0 ? [] : [/^[^\n]*?[.!?](?=\s|$)|^[^\n]*/.exec(text.slice(from))![0]];
  });
  const without = (text: string) =>
    text.startsWith(id) ? text.slice(id.length).replace(/^[\s\p{P}]+/u, '') : text;
  return [...titles, ...sentences].map((text) => oneLine(without(text))).find((text) => text !== '') ?? null;
}

/** What labelled queries say is needed, in words of the user's own where the passages have no values for it. */
function required({ missing }: ClarifyInput['state'], apart: readonly Candidate[]): Candidate[] {
  return missing
    .filter(({ kind, text }) => kind === 'required' && !apart.some(({ variable }) => variable === text))
    .map(({ text }) => ({ kind: 'required', variable: text, options: [], gain: 0 }));
}

/** The conditions of the nearest rule that nobody has spoken of, as they stand in it. */
function openConditions({ state, evidence, query }: ClarifyInput): Candidate[] {
  const [rule] = evidence;
  const open = state.missing.filter(
    ({ kind, text }) => kind === 'condition' && rule?.text.includes(text) === true,
  );
  const [first] = open;
  if (first === undefined || rule === undefined) return [];
  const values = open.slice(0, MOST_OPTIONS).map(({ text }) => text);
  const options = values.map((value) => ({
    value,
    passageIds: [rule.passageId],
    weight: 1 / values.length,
    query: readingOf(query, { kind: 'condition', variable: value }, value),
  }));
  return [{ kind: 'condition', variable: first.text, options, gain: Math.log2(Math.max(2, values.length)) }];
}

/** The values of a split as options, when at least two of them stand for different answers and the reply would tell. */
function fromSplit({ query }: ClarifyInput, voices: readonly Voice[], split: Split): Candidate | null {
  const cells = new Map<string, Option & { answers: Set<number> }>();
  const keys = split.values.map((value) => (value === null ? null : keyOf(value)));
  voices.forEach(({ passage, p, answer }, i) => {
    const [key, value] = [keys[i] ?? null, split.values[i] ?? null];
    if (key === null || value === null || key === '') return;
    const cell = cells.get(key) ?? { value, passageIds: [], weight: 0, query: '', answers: new Set() };
    if (passage.title.includes(cell.value) || passage.text.includes(cell.value))
      cell.passageIds.push(passage.passageId);
    cell.weight += p;
    cell.answers.add(answer);
    cells.set(key, cell);
  });
  const offered = [...cells]
    .sort(([a, x], [b, y]) => y.weight - x.weight || (a < b ? -1 : 1))
    .slice(0, MOST_OPTIONS);
  if (offered.length < 2) return null;
  const kept = new Set(offered.map(([key]) => key));
  const gain = expectedGain(
    voices.map(({ p, answer }, i) => {
      const key = keys[i] ?? null;
      return { p, answer, cell: key !== null && kept.has(key) ? key : null };
    }),
  );
  if (!(gain >= LEAST_GAIN)) return null;
  const { kind, variable } = split;
  const options = offered.map(([, { value, passageIds, weight }]) => ({
    value,
    passageIds,
    weight,
    query: readingOf(query, split, value),
  }));
  return { kind, variable, options, gain };
}
