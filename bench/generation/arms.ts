/** One question answered in every way that is compared: a generator with and without the gate, and the check. */
import {
  type Generation,
  type Generator,
  generateAnswer,
  type Message,
  promptOf,
  type Samples,
  type SourcePassage,
  sampleAnswers,
  samplesOf,
  shortPromptOf,
  type VerifiedSentence,
  verifyAnswer,
} from '../../generation/index.ts';
import type { BranchName } from '../../profiles/index.ts';
import type { Decision, Explanation, Router } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { DataQuery } from '../datasets/types.ts';
import { takes } from '../documents/judge.ts';
import { shownOf } from '../documents/shown.ts';
import type { Question, Verdict } from '../documents/types.ts';

/**
 * `alone`: passages and no more. `gate`: only what is decided to be answered, and surely. `check`: verified after. `both`.
 * `low`: both, and answers of the band LOW. `quotes`: no generator.
 */
export const ARMS = ['alone', 'gate', 'check', 'both', 'low', 'quotes'] as const;
export type Arm = (typeof ARMS)[number];

/** Passages that are handed to the generator without a gate. */
const PASSAGES = 3;
const MOST_TOKENS = 160;
const SHORT_TOKENS = 24;

/** What one arm shows of a question; null: nothing is answered. */
export interface Shown {
  text: string;
  /** Sentences that were generated, with what `verify` makes of them and whether they are shown. */
  sentences: {
    text: string;
    label: VerifiedSentence['label'];
    support: number | null;
    shown: boolean;
    cited: boolean;
    citesRightly: boolean;
  }[];
  promptTokens: number;
  generatedTokens: number;
  requests: number;
}

export interface Row {
  set: string;
  id: string;
  group: string;
  query: string;
  answerable: boolean;
  answers: readonly string[];
  /** Whether a person would take what each arm shows, where the set says what that takes; null: it has answers to compare with. */
  taken: Partial<Record<Arm, boolean>> | null;
  action: Decision['action'];
  band: 'HIGH' | 'LOW' | null;
  U: number | null;
  passages: readonly SourcePassage[];
  arms: Record<Arm, Shown | null>;
  /** The shortest words that answer, from the same passages, and as many drawn anew. */
  short: string;
  samples: Samples;
  /** Word pieces of their prompts and of them. */
  sampleTokens: number;
  signals: Pick<Decision['signals'], 'D' | 'C' | 'E'>;
  /** The likeliest short answer from the first passages of each branch by itself, as the first paper disagrees by. */
  branches: { names: readonly BranchName[]; answers: Samples; promptTokens: number; generatedTokens: number };
  ms: {
    decide: number;
    generate: number;
    verify: number;
    verifiedSentences: number;
    first: number | null;
    firstVerified: number | null;
  };
}

/** `question`: with patterns that say what a person would take. */
export interface AskedQuery extends DataQuery {
  question?: Question;
}

export interface Asking {
  router: Pick<Router, 'explain'>;
  /** Of the index, by id. */
  passages: ReadonlyMap<string, SourcePassage>;
  generator: Generator;
  scorers: Scorers;
  samples: number;
  signal: AbortSignal;
}

/** Throws as the router, the generator and the scorers do. */
export async function askInEveryArm(set: string, query: AskedQuery, asking: Asking): Promise<Row> {
  const { router, generator, scorers, signal } = asking;
  const timed = clock();
  const { decision, branches } = await router.explain({ id: query.id, query: query.query }, { signal });
  const decide = timed();
  const passages = decision.evidence
    .slice(0, PASSAGES)
    .map(({ text, title }): SourcePassage => ({ text, title }));
  const alone = await generatedFrom(promptOf(query.query, passages, 'passage'), MOST_TOKENS, asking);
  const generate = timed();
  const { sentences } = await verifyAnswer(
    { answer: alone.text, passages, question: query.query },
    { scorers, signal },
  );
  const verify = timed();
  const judged = sentences.map((sentence) => sentenceOf(alone.text, sentence));
  const kept = judged.filter(({ shown }) => shown).map(({ text }) => text);
  const gated = decision.answer === undefined ? null : await gatedAnswer(decision, asking);
  const surely = decision.answer?.band === 'HIGH';
  const short = shortPromptOf(query.query, passages);
  const shortly = await generatedFrom(short, SHORT_TOKENS, asking);
  const samples = await sampleAnswers(short, {
    generator,
    scorers,
    question: query.query,
    count: asking.samples,
    maxTokens: SHORT_TOKENS,
    signal,
  });
  const arms: Row['arms'] = {
    alone: { ...alone, sentences: judged.map((each) => ({ ...each, shown: true })) },
    check: kept.length === 0 ? null : { ...alone, text: kept.join(' '), sentences: judged },
    gate:
      gated === null || !surely
        ? null
        : {
            ...gated.shown,
            text: gated.generated,
            sentences: gated.shown.sentences.map((each) => ({ ...each, shown: true })),
          },
    both: surely ? (gated?.shown ?? null) : null,
    low: gated?.shown ?? null,
    quotes:
      decision.answer === undefined
        ? null
        : { text: decision.answer.text, sentences: [], promptTokens: 0, generatedTokens: 0, requests: 0 },
  };
  return {
    set,
    id: query.id,
    group: query.group,
    query: query.query,
    answerable: query.answerable ?? query.answers.length > 0,
    answers: query.answers,
    taken: query.question === undefined ? null : takenOf(query.question, arms, decision),
    action: decision.action,
    band: decision.answer?.band ?? null,
    U: decision.U,
    passages,
    arms,
    short: shortly.text,
    samples,
    sampleTokens:
      asking.samples * tokensOf(short, scorers) +
      samples.answers.reduce((sum, text) => sum + scorers.countTokens(text), 0),
    signals: { D: decision.signals.D, C: decision.signals.C, E: decision.signals.E },
    branches: await answeredByBranch(query.query, branches, asking),
    ms: {
      decide,
      generate,
      verify,
      verifiedSentences: sentences.length,
      first: gated?.first ?? null,
      firstVerified: gated?.firstVerified ?? null,
    },
  };
}

function takenOf(question: Question, arms: Row['arms'], decision: Decision): NonNullable<Row['taken']> {
  const verdictIn = (text: string) => /^(yes|no)\b/i.exec(text)?.[1]?.toLowerCase() as Verdict | undefined;
  return Object.fromEntries(
    ARMS.flatMap((arm) => {
      const { text } = arms[arm] ?? {};
      if (text === undefined) return [];
      const said = {
        text,
        quotes: [],
        verdict: verdictIn(text) ?? null,
        form: arm,
        band: 'HIGH',
        cut: null,
      } as const;
      return [[arm, takes(question, arm === 'quotes' ? shownOf(decision)! : said)]];
    }),
  );
}

/** Branches that found nothing have no answer. */
async function answeredByBranch(
  question: string,
  branches: Explanation['branches'],
  asking: Asking,
): Promise<Row['branches']> {
  const found = branches.filter(({ hits }) => hits.length > 0);
  const said: Omit<Shown, 'sentences'>[] = [];
  for (const { hits } of found) {
    const own = hits.slice(0, PASSAGES).map(({ passageId }) => asking.passages.get(passageId)!);
    said.push(await generatedFrom(shortPromptOf(question, own), SHORT_TOKENS, asking));
  }
  const { scorers, signal } = asking;
  const sum = (of: (one: (typeof said)[number]) => number) => said.reduce((total, one) => total + of(one), 0);
  return {
    names: found.map(({ name }) => name),
    answers: await samplesOf(
      said.map(({ text }) => text),
      { scorers, question, signal },
    ),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    generatedTokens: sum(({ generatedTokens }) => generatedTokens),
  };
}

function clock(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const passed = now - last;
    last = now;
    return passed;
  };
}

async function generatedFrom(
  messages: readonly Message[],
  maxTokens: number,
  { generator, scorers, signal }: Asking,
): Promise<Omit<Shown, 'sentences'>> {
  let text = '';
  let requests = 0;
  const pieces = generator.generate(messages, { maxTokens, signal, onRequest: () => requests++ });
  for await (const piece of pieces) text += piece;
  return {
    text: text.trim(),
    promptTokens: tokensOf(messages, scorers),
    generatedTokens: scorers.countTokens(text),
    requests,
  };
}

function tokensOf(messages: readonly Message[], scorers: Pick<Scorers, 'countTokens'>): number {
  return messages.reduce((sum, { content }) => sum + scorers.countTokens(content), 0);
}

/** What the product does: the decision's quotes, worded, verified sentence by sentence. */
async function gatedAnswer(decision: Decision, { generator, scorers, signal }: Asking) {
  const began = performance.now();
  let first: number | null = null;
  let text = '';
  const marked: Generator = {
    ...generator,
    async *generate(...args) {
      const pieces = generator.generate(...args);
      let next = await pieces.next();
      for (; !next.done; next = await pieces.next()) {
        text += next.value;
        // A sentence is whole where the next one has begun.
        if (first === null && /[.!?]["'”’)\]\d[ ]*\s+\S/.test(text)) first = performance.now() - began;
        yield next.value;
      }
      first ??= performance.now() - began;
      return next.value;
    },
  };
  const answer = generateAnswer(decision, {
    generator: marked,
    scorers,
    signal,
    budget: { generatedTokens: MOST_TOKENS },
    lowBand: true,
  });
  let firstVerified: number | null = null;
  let next = await answer.next();
  for (; !next.done; next = await answer.next()) firstVerified ??= performance.now() - began;
  const { text: shown, generated = '', verification, budget } = next.value as Generation;
  return {
    generated: generated.trim(),
    first: firstVerified === null ? null : first,
    firstVerified,
    shown: {
      text: shown,
      sentences: verification.sentences.map((sentence) => sentenceOf(generated, sentence)),
      promptTokens: budget.promptTokens.spent,
      generatedTokens: budget.generatedTokens.spent,
      requests: budget.requests.spent,
    } satisfies Shown,
  };
}

function sentenceOf(
  text: string,
  { start, end, label, support, citations, faults }: VerifiedSentence,
): Shown['sentences'][number] {
  const faulty = faults.some(({ fault }) => fault !== 'OTHER_PASSAGE');
  const cites = faults.every(({ fault }) => fault !== 'OTHER_PASSAGE' && fault !== 'NO_SUCH_PASSAGE');
  return {
    text: text.slice(start, end),
    label,
    support,
    shown: label === 'supported' && !faulty,
    cited: citations.length > 0,
    citesRightly: citations.length > 0 && label === 'supported' && cites,
  };
}
