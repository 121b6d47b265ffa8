import { selfContained } from '../../conversation/index.ts';
import type { RewriteExample } from './canard.ts';

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
export const METHODS: readonly { name: string; rewrite: (example: RewriteExample) => string }[] = [
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
