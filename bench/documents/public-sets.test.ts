import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PUBLIC_SETS, publicSet } from './public-sets.ts';

let data: string;
let cache: string;
beforeAll(async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'pragaura-public-'));
  [data, cache] = [path.join(dir, 'data'), path.join(dir, 'cache')];
  const files: Record<string, string> = {
    'emanual/smart_tv_remote_manual_corpus.json': JSON.stringify({
      section_0: {
        id: 'section_0',
        title: 'Sound & <Vision>',
        text: ['Press the', 'button.', '', 'Then wait.'],
      },
      '../up': { id: '../up', title: 'Outside', text: [] },
    }),
    'emanual/smart_tv_remote_qa.jsonl.gz': ['a', 'b', 'c', 'd', 'e', 'f']
      .flatMap((section) => [
        { kind: 'normal', question: `How ${section}?`, answer: 'Press it.', section, link: '' },
        { kind: 'yes_no', question: `Can I ${section}?`, answer: 'Yes, you can', section, link: '' },
      ])
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
    'conditionalqa/dev.json.gz': JSON.stringify(
      [
        [['yes', []]],
        [['no', ['<p>if</p>']]],
        [
          ['yes', ['<p>a</p>']],
          ['no', ['<p>b</p>']],
        ],
        [['in 10 days', []]],
        [],
      ].map((answers, place) => ({
        id: `dev-${place}`,
        url: 'https://example.org/some-page',
        scenario: 'I am 20.',
        question: ' May I? ',
        not_answerable: answers.length === 0,
        answers,
        evidences: ['<p>You may if:</p>', '<li>one & two</li>', '<li>three</li>', '<tr>Fee | 10</tr>'],
      })),
    ),
    'policyqa/dev.json.gz': JSON.stringify({
      data: ['shop.example', 'news.example'].map((title) => ({
        title,
        paragraphs: ['We keep logs.', 'We keep mail.'].map((context) => ({
          context,
          qas: [
            {
              id: `${title} ${context}`,
              question: 'What is kept?',
              answers: [{ text: context.slice(8, -1) }],
            },
          ],
        })),
      })),
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(data, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, name.endsWith('.gz') ? gzipSync(text) : text);
  }
});
afterAll(() => rm(path.dirname(data), { recursive: true, force: true }));

const halves = async (name: (typeof PUBLIC_SETS)[number]) => {
  const [open, held] = [
    await publicSet(name, 'open', { data, cache }),
    await publicSet(name, 'held', { data, cache }),
  ];
  return { open, held, all: [...open.questions, ...held.questions] };
};

it('a section is a page, and its questions lie in one half', async () => {
  const { open, held, all } = await halves('emanual');
  const sections = (of: typeof open) => new Set(of.questions.map(({ group }) => group));
  expect(all).toHaveLength(12);
  expect(sections(open).size).toBeGreaterThan(0);
  expect(sections(open).size + sections(held).size).toBe(6);
  const page = await readFile(path.join(open.paths[0]!, 'section_0.html'), 'utf8');
  expect(page).toContain('<h1>Sound &amp; &lt;Vision&gt;</h1>\n<p>Press the\nbutton.</p>\n<p>Then wait.</p>');
  expect(await readFile(path.join(open.paths[0]!, '__up.html'), 'utf8')).toContain('Outside');
  expect(all.find(({ kind }) => kind === 'yes_no')).toMatchObject({
    verdicts: ['yes'],
    golds: ['Yes, you can'],
  });
});

it('evidence becomes a page with lists and tables, and a scenario the turn before the question', async () => {
  const { open, all } = await halves('conditionalqa');
  const page = await readFile(path.join(open.paths[0]!, 'some-page.html'), 'utf8');
  expect(page).toContain(
    '<p>You may if:</p>\n<ul>\n<li>one &amp; two</li>\n<li>three</li>\n</ul>\n<table>\n<tr><td>Fee</td><td>10</td></tr>\n</table>',
  );
  expect(all.map(({ verdicts, golds, expect: due }) => [verdicts, golds, due])).toEqual([
    [['yes'], undefined, 'ANSWER'],
    [['no', 'depends'], undefined, 'ANSWER'],
    [['yes', 'no', 'depends'], undefined, 'ANSWER'],
    [undefined, ['in 10 days'], 'ANSWER'],
    [undefined, undefined, 'ABSTAIN'],
  ]);
  expect(all[0]).toMatchObject({ query: 'May I?', history: [{ role: 'user', text: 'I am 20.' }] });
});

it('a question about a policy is asked of that policy, once, with all its answers', async () => {
  const { all } = await halves('policyqa');
  expect(all.map(({ filters, golds }) => [filters, golds])).toEqual(
    expect.arrayContaining([
      [{ docId: ['policyqa/shop.example.html'] }, ['logs', 'mail']],
      [{ docId: ['policyqa/news.example.html'] }, ['logs', 'mail']],
    ]),
  );
  expect(all).toHaveLength(2);
});

it.each(PUBLIC_SETS)('%s names the file that is missing', async (name) => {
  await expect(publicSet(name, 'open', { data: '/nowhere', cache })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    hint: expect.stringContaining('--data'),
  });
});
