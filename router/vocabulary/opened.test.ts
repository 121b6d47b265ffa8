/** A vocabulary as `openRouter` opens it, and what decisions make of it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { Decision, indexDocuments, openRouter, type Query } from '../index.ts';

const TERMS =
  'term,synonyms,definition,broader\n' +
  'Feeder line,feeder,A line that leaves a substation.,Line\nLine,,,Feeder line\n' +
  'Mercury,,A planet.,\nMercury,,A metal.,\n';
let folder: string;
let index: string;
let scorers: Scorers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-terms-'));
  index = join(folder, 'index');
  await mkdir(join(folder, 'docs'));
  await writeFile(
    join(folder, 'docs', 'grid.md'),
    '# Grid\n\nThe feeder line to Ostrel was built in 1900.\n',
  );
  await indexDocuments([join(folder, 'docs')], { out: index });
  scorers = await openScorers({ threads: 1 });
});

afterAll(async () => {
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

async function put(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

describe('an opened vocabulary', () => {
  it('answers with its definition and its file, asks about what it lacks, and is named in the versions', async () => {
    // The two lines lie above each other: a circle is read, and walked once.
    const router = await openRouter({ index, scorers, vocabulary: [await put('terms.csv', TERMS)] });
    const ask = async (query: string) => Decision.parse(await router.route({ id: 'q', query }));
    try {
      const defined = await ask('What does "feeder" mean?');
      expect(defined).toMatchObject({
        action: 'ANSWER',
        answer: {
          text: 'A line that leaves a substation.',
          quotes: [{ docId: 'terms.csv', start: 0, end: 32 }],
        },
        guarantee: { status: 'NOT_CALIBRATED' },
        U: null,
        receipt: { spent: { rerankPairs: 0, nliPairs: 0 } },
      });
      expect(defined.evidence[0]).toMatchObject({ title: 'Feeder line', source: 'terms.csv' });
      expect(defined.evidence[0]!.passageId).toBe(defined.answer!.quotes[0]!.passageId);
      expect(defined.evidence.some(({ source }) => source.endsWith('grid.md'))).toBe(true);
      expect(defined.layers[0]).toMatchObject({ layer: 'vocabulary', state: 'decided' });
      expect(defined.versions.vocabulary).toMatch(/^[0-9a-f]{64}$/);
      expect(router.validFor.vocabulary).toBe(defined.versions.vocabulary);

      const unknown = await ask('What does "fedder line" mean?');
      expect(unknown.clarification?.reason).toBe('UNKNOWN_TERM');
      expect(unknown.clarification?.suggestions[0]).toBe('Feeder line');
      const ambiguous = await ask('What is the meaning of mercury?');
      expect(ambiguous.clarification?.reason).toBe('AMBIGUOUS_TERM');
      const { options } = ambiguous.clarification!.question!;
      expect(options.map(({ value }) => value)).toEqual(['Mercury (A planet.)', 'Mercury (A metal.)']);
      for (const [i, text] of ['A planet.', 'A metal.'].entries()) {
        const { value, query: reading } = options[i]!;
        expect(await ask(reading)).toMatchObject({ action: 'ANSWER', answer: { text } });
        const history: Query['history'] = [
          { role: 'user', text: ambiguous.query },
          { role: 'assistant', text: ambiguous.clarification!.message },
        ];
        const replied = await router.route({ id: 'q', query: value, history });
        expect(replied).toMatchObject({ action: 'ANSWER', answer: { text } });
      }
      const other = await ask('When was the feeder line to Ostrel built?');
      expect(other.answer?.quotes[0]?.docId ?? 'none').not.toBe('terms.csv');
    } finally {
      await router.close();
    }
  });

  it('of other content is another one to whatever was calibrated with it', async () => {
    const hashOf = async (text: string) => {
      const router = await openRouter({ index, scorers, vocabulary: [await put('other.csv', text)] });
      await router.close();
      return router.versions.vocabulary;
    };
    const first = await hashOf(TERMS);
    expect(await hashOf(TERMS)).toBe(first);
    expect(await hashOf(TERMS.replace('metal', 'god'))).not.toBe(first);
  });

  it('is read within the limits and in the languages that the router is opened with', async () => {
    const file = await put(
      'two.ttl',
      '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n' +
        '<urn:a> skos:prefLabel "Feeder line"@en, "Abgang"@de ; skos:definition "A line."@en, "Eine Leitung."@de .\n' +
        '<urn:b> skos:prefLabel "Line"@en .\n',
    );
    const opened = await openRouter({ index, scorers, vocabulary: { files: [file], languages: ['de'] } });
    const decision = await opened.route({ id: 'q', query: 'What does "Abgang" mean?' });
    await opened.close();
    expect(decision).toMatchObject({ action: 'ANSWER', answer: { text: 'Eine Leitung.' } });
    await expect(
      openRouter({ index, scorers, vocabulary: { files: [file], maxConcepts: 1 } }),
    ).rejects.toMatchObject({ code: 'VOCABULARY_UNUSABLE' });
  });
});

describe('a router whose vocabulary cannot be used', () => {
  it.each([
    [
      'broken.ttl',
      '@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <a> skos:prefLabel "x',
      /not sound Turtle/,
    ],
    ['empty.csv', 'term\n', /holds no term/],
    ['long.csv', `term,definition\nA,"${'x'.repeat(2 << 20)}"\n`, /record exceed/],
    ['image.png', '\x89PNG', /no format that is read/],
  ])('is not opened: %s', async (name, content, message) => {
    const vocabulary = [await put(name, content)];
    await expect(openRouter({ index, scorers, vocabulary })).rejects.toMatchObject({
      code: 'VOCABULARY_UNUSABLE',
      message: expect.stringMatching(message),
    });
    const missing = [join(folder, 'nowhere.ttl')];
    await expect(openRouter({ index, scorers, vocabulary: missing })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
