import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { described, describedNames, shippedCollections, writtenQuestions } from './described.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-described-'));
  await mkdir(path.join(dir, 'collections'));
  await mkdir(path.join(dir, 'questions'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('of the package', async () => {
  const own = shippedCollections();
  it.each(await describedNames(own))('%s and its open questions can be read', async (name) => {
    expect((await described(own, name)).name).toBe(name);
    const questions = await writtenQuestions(own, name, 'open');
    expect(questions.length).toBeGreaterThanOrEqual(30);
    const acts = new Set(questions.map(({ act }) => act));
    expect([...acts].sort()).toEqual([
      'COMPARISON',
      'DEFINITION',
      'EXPLANATION',
      'FACT',
      'PROCEDURE',
      'QUANTITY',
      'VERIFICATION',
    ]);
    for (const { parts, kind } of questions) expect(parts !== undefined).toBe(kind === 'compound');
  });
});

const yaml = (more: Record<string, unknown>) =>
  JSON.stringify({
    name: 'x',
    title: 't',
    kind: 'k',
    package: 'p-doc',
    version: '1',
    licence: 'l',
    paths: ['a'],
    ...more,
  });

it.each([
  ['a path that leads out', yaml({ paths: ['usr/../../etc'] }), 'leads out of the package'],
  ['an absolute path', yaml({ paths: ['/etc'] }), 'leads out of the package'],
  ['a package that is an option', yaml({ package: '--yes' }), 'package'],
  ['a field that nobody knows', yaml({ url: 'x' }), 'url'],
  ['another name', yaml({ name: 'y' }), 'describes "y"'],
  ['no YAML', '{', 'is no YAML'],
])('refuses %s', async (_, text, message) => {
  await writeFile(path.join(dir, 'collections', 'x.yaml'), text);
  await expect(described(dir, 'x')).rejects.toMatchObject({
    code: 'CONFIGURATION',
    message: expect.stringContaining(message),
  });
});

const asked = {
  id: 'a',
  query: 'q',
  act: 'FACT',
  kind: 'plain',
  expect: 'ANSWER',
  accept: ['one', ['two', 'three']],
};

it('an alternative is one expression or several', async () => {
  await writeFile(path.join(dir, 'questions', 'x.open.ndjson'), `${JSON.stringify(asked)}\n`);
  const [question] = await writtenQuestions(dir, 'x', 'open');
  expect(question).toMatchObject({
    id: 'a',
    group: 'a',
    accept: [[/one/is], [/two/is, /three/is]],
    anchors: [],
  });
});

it.each([
  ['an expression that is none', [{ ...asked, accept: ['('] }], 'accept'],
  ['an answer that accepts nothing', [{ ...asked, accept: undefined }], 'stands where an answer is expected'],
  ['silence that accepts something', [{ ...asked, expect: 'ABSTAIN' }], 'stands where an answer is expected'],
  ['an act that is none', [{ ...asked, act: 'GUESS' }], 'act'],
  ['an id for the second time', [asked, asked], 'question 2: the id a was there before'],
])('refuses %s', async (_, lines, message) => {
  const file = path.join(dir, 'questions', 'x.open.ndjson');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await expect(writtenQuestions(dir, 'x', 'open')).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(message),
  });
});

it('says where a folder should have what', async () => {
  const hint = expect.stringContaining('--collections');
  await expect(describedNames('/nowhere')).rejects.toMatchObject({ code: 'NOT_FOUND', hint });
  await expect(writtenQuestions(dir, 'x', 'held')).rejects.toMatchObject({ code: 'NOT_FOUND', hint });
});
