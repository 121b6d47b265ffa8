import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeHash } from '../../calibration/index.ts';
import { REWRITE_RULES, selfContained, type Turn } from '../../conversation/index.ts';
import { PlainBm25 } from '../lexical/plain-bm25.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { machineLine } from '../measure/machine.ts';
import { type Canard, type Half, loadCanard, type RewriteExample } from './canard.ts';
import { type Outcome, render, reportOn } from './report.ts';

export interface RewriteOptions {
  data: string;
  out: string;
  half: Half;
}

const K = 10;
const LONG_HISTORY = 200;

/** Rewritings of CANARD dev by every method, as a table; the same as JSON in `out`. */
export async function benchRewrite(options: RewriteOptions, say: (line: string) => void): Promise<string> {
  const canard = await loadCanard(options.data, options.half);
  say(`${canard.examples.length} questions, ${canard.passages.size} answers to find`);
  const search = searchOver(canard);
  const outcomes = METHODS.map(({ name, rewrite }) => {
    say(`${name} …`);
    return {
      name,
      outcomes: canard.examples.map((example): Outcome => {
        const text = rewrite(example);
        return { ...example, text, ranking: example.answer === null ? null : search(text) };
      }),
    };
  });
  const report = {
    methods: reportOn(outcomes),
    rules: rulesUsed(canard),
    ms: timed(canard.examples),
    longHistoryMs: timed(withLongHistories(canard)),
  };
  await mkdir(options.out, { recursive: true });
  const where = path.join(options.out, `rewrite-${options.half}.json`);
  const record = {
    schema: 'pragaura.bench-rewrite/1',
    machine: machineLine(),
    half: options.half,
    code: await codeHash(),
  };
  await writeFile(where, `${JSON.stringify({ ...record, ...report })}\n`);
  const rules = Object.entries(report.rules).map(([rule, count]) => `${rule} ${count}`);
  return [
    `== CANARD dev, half "${options.half}": ${canard.examples.length} questions`,
    render(report.methods),
    `rules used: ${rules.join(', ')}`,
    `time of ours: ${timeOf(report.ms)}; with ${LONG_HISTORY} turns: ${timeOf(report.longHistoryMs)}`,
    '95 % intervals: percentile bootstrap by article, 1,000 resamples.',
    machineLine(),
    `written: ${where}`,
  ].join('\n');
}

/** BM25 over the answers of all dialogues, each under its article's and section's name. */
function searchOver({ passages }: Canard): (query: string) => string[] {
  const bm25 = new PlainBm25();
  const keys = [...passages.keys()];
  for (const text of passages.values()) bm25.add(text);
  return (query) => bm25.search(query, K).map((ordinal) => keys[ordinal]!);
}

function rulesUsed({ examples }: Canard): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(REWRITE_RULES.map((rule) => [rule, 0]));
  for (const { question, history } of examples) {
    const rules = new Set(selfContained(question, history).reasons.map(({ rule }) => rule));
    for (const rule of rules) counts[rule]! += 1;
  }
  return counts;
}

function timed(examples: readonly { question: string; history: readonly Turn[] }[]): LatencySummary {
  const latencies = new Latencies();
  for (const { question, history } of examples) {
    const start = performance.now();
    selfContained(question, history);
    latencies.record(performance.now() - start);
  }
  return latencies.summary();
}

/** The first hundred questions, each after two hundred turns of its neighbours' dialogues and its own. */
function withLongHistories({ examples }: Canard) {
  const turns = examples.flatMap(({ history }) => history);
  return examples.slice(0, 100).map(({ question, history }, i) => {
    const before = turns.slice(i, i + LONG_HISTORY - history.length);
    return { question, history: [...before, ...history] };
  });
}

function timeOf({ p50, p95, max }: LatencySummary): string {
  return `p50 ${p50?.toFixed(2)} ms, p95 ${p95?.toFixed(2)} ms, worst ${max?.toFixed(1)} ms`;
}

const PERSONAL = /\b(?:he|she|it|they|him|them)\b/gi;
const POSSESSIVE = /\b(?:his|its|their)\b|\bher(?=\s+\p{L})/giu;
const NAME = /\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*/gu;

/** Pronouns by one name, whatever they mean. */
function substituted(question: string, name: string): string {
  return question.replace(POSSESSIVE, () => `${name}'s`).replace(PERSONAL, () => name);
}

/** The last run of capitalised words of the history that does not open its turn; the article's title otherwise. */
function lastEntity({ history, article }: RewriteExample): string {
  for (const { text } of history.slice(2).toReversed()) {
    const found = [...text.matchAll(NAME)].findLast(({ index }) => index > 0);
    if (found !== undefined) return found[0];
  }
  return article;
}

function turnsBefore({ history, question }: RewriteExample, turns: number): string {
  const before = history
    .slice(2)
    .slice(-turns)
    .map(({ text }) => text);
  return [...before, question].join(' ');
}

/** What is measured: our rules, and what they have to beat. The first is the question as it is. */
const METHODS: readonly { name: string; rewrite: (example: RewriteExample) => string }[] = [
  { name: 'question as it is', rewrite: ({ question }) => question },
  { name: 'last question and answer before it', rewrite: (example) => turnsBefore(example, 2) },
  {
    name: 'whole history before it',
    rewrite: ({ history, question }) => [...history.map(({ text }) => text), question].join(' '),
  },
  { name: 'article before it', rewrite: ({ article, question }) => `${article} ${question}` },
  {
    name: 'article and section before it',
    rewrite: ({ article, section, question }) => `${article} ${section} ${question}`,
  },
  {
    name: 'last name for pronouns',
    rewrite: (example) => substituted(example.question, lastEntity(example)),
  },
  { name: 'article for pronouns', rewrite: ({ question, article }) => substituted(question, article) },
  { name: 'ours', rewrite: ({ question, history }) => selfContained(question, history).text },
  {
    name: 'ours, section before it',
    rewrite: ({ question, history, section }) => `${section} ${selfContained(question, history).text}`,
  },
  { name: "people's rewriting", rewrite: ({ gold }) => gold },
];
