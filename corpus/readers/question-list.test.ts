import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Scratch } from '../testing/support.ts';
import type { SourceDocument } from '../types.ts';
import { readDocuments } from './read-file.ts';
import { findFiles } from './walk.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

async function blocksOf(name: string, content: string): Promise<string[]> {
  const { files } = findFiles([join(scratch.folder({ [name]: content }), name)], '');
  const found: SourceDocument[] = [];
  for await (const item of readDocuments(files[0]!)) found.push(item as SourceDocument);
  const [{ text, blocks, parts }] = found as [SourceDocument];
  for (const { start, kind } of parts) {
    if (kind === 'item') expect(blocks.some((block) => block.start <= start && start < block.end)).toBe(true);
  }
  return blocks.map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' '));
}

const QUESTIONS = ['What is a gate?', 'Why is it slow?', 'How do I `open` it?'];
const ANSWERS = ['A door in a fence.', 'It is heavy.', 'Lift the latch.'];

it('leaves out the contents of an FAQ, in Markdown, plain text and HTML, with or without numbers', async () => {
  const sections = QUESTIONS.map((question, i) => `## ${i + 1}. ${question}\n\n${ANSWERS[i]}\n`).join('\n');
  const nested = `- FAQ\n${QUESTIONS.map((question) => `  - ${question}\n`).join('')}`;
  expect(await blocksOf('faq.md', `# FAQ\n\nAsked often.\n\n${nested}\n${sections}`)).toEqual([
    'Asked often.',
    ...ANSWERS,
  ]);
  const plain = QUESTIONS.map((question, i) => `${question}\n${'='.repeat(20)}\n\n${ANSWERS[i]}\n`).join(
    '\n',
  );
  const contents = QUESTIONS.map((question) => `* ${question}\n\n`).join('');
  expect(await blocksOf('faq.txt', `${contents}${plain}`)).toEqual(ANSWERS);
  const lines = QUESTIONS.map((question) => `${question}<br/>`).join('');
  const asked = QUESTIONS.map((question, i) => `<h2>${question}</h2><p>${ANSWERS[i]}</p>`).join('');
  expect(await blocksOf('faq.html', `<title>FAQ</title><h1>FAQ</h1>${lines}${asked}`)).toEqual(ANSWERS);
});

it('keeps lists of what is no question, of questions that are not asked below, and of few', async () => {
  const kinds = ['Oak', 'Iron', 'Wire'];
  const sections = kinds.map((kind) => `## ${kind}\n\nA gate of ${kind}.\n`).join('\n');
  const list = kinds.map((kind) => `- ${kind}\n`).join('');
  expect((await blocksOf('gates.md', `# Gates\n\n${list}\n${sections}`))[0]).toBe('- Oak - Iron - Wire');
  const others = QUESTIONS.map((question) => `- ${question}\n`).join('');
  expect((await blocksOf('ask.md', `# Ask\n\n${others}\n${sections}`))[0]).toContain('- What is a gate?');
  const two = QUESTIONS.slice(1).map((question, i) => `## ${question}\n\n${ANSWERS[i + 1]}\n`);
  expect(
    (await blocksOf('two.md', `# Two\n\n- Why is it slow?\n- How do I open it?\n\n${two.join('\n')}`))[0],
  ).toBe('- Why is it slow? - How do I open it?');
});

it('is done with a thirty thousand lists of questions', async () => {
  const sections = QUESTIONS.map((question) => `<h2>${question}</h2><p>Yes.</p>`).join('');
  const lists = '<p>a? b? c?</p>'.repeat(30_000);
  expect(await blocksOf('many.html', `<h1>FAQ</h1>${sections}${lists}`)).toHaveLength(30_003);
  const again = `<p>${QUESTIONS.join('<br/>')}</p>`.repeat(30_000);
  expect(await blocksOf('again.html', `<h1>FAQ</h1>${sections}${again}`)).toEqual(['Yes.', 'Yes.', 'Yes.']);
});
