import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { buildIndex } from '../../corpus/index.ts';
import { options, Scratch } from '../../corpus/testing/support.ts';
import { loadIdentifiers, openIndex } from '../../router/index.ts';
import { contradictionOf } from '../labels/examples.ts';
import { patternFound } from '../labels/patterns.ts';
import { areInOrder } from '../labels/wrong.ts';
import { Labelled } from '../types.ts';
import { askedOf } from './clauses.ts';
import { type ProposeOptions, propose } from './propose.ts';
import { KINDS, oneLine } from './questions.ts';

const PAGES = {
  'kettle.html':
    '<title>Kettle</title><h1>Kettle</h1><h2>Descaling the kettle</h2><p>Lime makes the kettle slow. Do this:</p>' +
    '<ol><li>Unplug the kettle.</li><li>Fill it with vinegar.</li><li>Wait for an hour.</li><li>Rinse it twice.</li></ol>' +
    '<h2>Terms</h2><dl><dt>limescale</dt><dd>A hard white layer of chalk that hot water leaves behind.</dd>' +
    '<dt>-q, --quiet</dt><dd>Boils the water without the beep at the end.</dd>' +
    '<dt>--loud</dt><dd>Boils the water with a beep at the end.</dd></dl>' +
    '<h2>Power</h2><p>The kettle draws 2200 watts. To save energy, fill only what is needed. It must not be left alone.</p>',
  'urn.html':
    '<title>Urn</title><h1>Urn</h1><p>The urn keeps the water warm because its wall is double. A strainer is a sieve that ' +
    'holds back the leaves. The tea leaves are kept in a tin.</p><h2>What is an urn good for?</h2><p>For many guests at once.</p>',
  'ADR-0003.md':
    '# ADR-0003: Kettles before urns\n\nKettles are bought first, urns later, because urns are dear.\n',
  'ADR-0004.md': '# ADR-0004: No microwaves\n\nWater is boiled in kettles and urns, and in nothing else.\n',
  'license.md': '# License\n\nTo copy this, use a pen. A licensee is a person who copies this text.\n',
};

const scratch = new Scratch();
afterAll(() => scratch.clear());

async function indexed(files: Readonly<Record<string, string>>) {
  const docs = scratch.folder(files);
  const out = `${docs}.index`;
  await buildIndex([docs], options(out));
  const index = await openIndex(out);
  return { index, identifiers: loadIdentifiers(index) };
}

async function proposed(files: Readonly<Record<string, string>>, more: Partial<ProposeOptions> = {}) {
  const { index, identifiers } = await indexed(files);
  return { index, proposals: propose(index, { n: 50, random: seededRandom(1), identifiers, ...more }) };
}

describe('askedOf', () => {
  it.each([
    ['The kettle draws 2200 watts.', 'How many watts does the kettle draw?'],
    ['Raw observations are kept for 90 days.', 'For how many days are raw observations kept?'],
    [
      'Each rain gauge is calibrated every six months.',
      'Every how many months is each rain gauge calibrated?',
    ],
    ['The default port of the server is 8080.', 'What is the default port of the server?'],
    ['Daily backups are stored in the town hall.', 'Where are daily backups stored?'],
    ['A backfill is a later run that repairs a fault.', 'What is a backfill?'],
    ['Dunlin is the archive of all observations.', 'What is Dunlin?'],
    ['Daily backups are kept because disks fail.', 'Why are daily backups kept?'],
    ['To change your prompt, run the editor.', 'How do I change my prompt?'],
  ])('%s', (sentence, question) => {
    expect(askedOf(sentence, 'The kettle')[0]?.query).toBe(question);
  });

  it.each([
    'It draws 2200 watts.',
    'The technician enters 3 dates.',
    'This command exits with 1.',
    'A switch begins with one or two hyphens and it ends.',
    'See the next section.',
    'The old archive was a database of 900 gigabytes on one machine.',
    'FIELDS is a list of numbers.',
    'no sentence at all',
  ])('asks no number of %s', (sentence) => {
    expect(askedOf(sentence, 'Kettles').filter(({ kind }) => kind !== 'verdict')).toEqual([]);
  });

  it('asks for yes and for no', () => {
    const verdicts = askedOf('The kettle draws 2200 watts.', 'The kettle').filter(
      ({ kind }) => kind === 'verdict',
    );
    expect(verdicts.map(({ query, right }) => [query, right.verdict])).toEqual([
      ['Does the kettle draw 2200 watts?', 'yes'],
      ['Does the kettle draw 4401 watts?', 'no'],
    ]);
  });

  it('asks of any text only what its answer answers', () => {
    const word = fc.constantFrom(
      ...'The A An kettle set_up --full-dirs= Öl To save is are was holds keeps 2 three because in for every water of litres , . not (x) Dunlin'.split(
        ' ',
      ),
    );
    const sentence = fc.array(word, { minLength: 2, maxLength: 14 }).map((words) => `${words.join(' ')}.`);
    fc.assert(
      fc.property(fc.oneof(sentence, fc.string({ unit: 'grapheme' })), (text) => {
        for (const { query, right, answer } of askedOf(oneLine(text), 'The kettle')) {
          expect(query).toMatch(/^\p{Lu}.*\?$/su);
          expect(answer).not.toBe('');
          for (const pattern of right.patterns ?? []) expect(patternFound(pattern, oneLine(text))).toBe(true);
        }
      }),
    );
  });
});

describe('propose', () => {
  it('asks for terms, deeds, numbers, reasons and what there is not', async () => {
    const { proposals } = await proposed(PAGES);
    const queries = proposals.map(({ label: { query } }) => query);
    expect(queries).toEqual(
      expect.arrayContaining([
        'How do I descale the kettle?',
        'What does "limescale" mean?',
        'What does the option --quiet of Kettle do?',
        'What is the difference between --quiet and --loud in Kettle?',
        'How many watts does the kettle draw?',
        'How do I save energy?',
        'Why does the urn keep the water warm?',
        'What is a strainer?',
        'What is an urn good for?',
        'What is ADR-0003 about?',
      ]),
    );
    expect(queries.join()).not.toMatch(/licensee|copy this/);
    const steps = proposals.find(({ label }) => label.query === 'How do I descale the kettle?')!.label.steps;
    expect(steps).toEqual([
      'Unplug the kettle.',
      'Fill it with vinegar.',
      'Wait for an hour.',
      'Rinse it twice.',
    ]);
  });

  it('labels what its passage answers, and what no passage names as unanswerable', async () => {
    const { index, proposals } = await proposed(PAGES);
    const all = index.passages.map(({ text, title }) => `${title} ${text}`).join('\n');
    expect(new Set(proposals.map(({ kind }) => kind)).size).toBeGreaterThan(KINDS.length - 3);
    for (const { id, label, ordinal, kind } of proposals) {
      expect(Labelled.parse({ id, ...label })).toEqual({ id, ...label });
      expect(contradictionOf({ id, ...label })).toBeNull();
      const { text } = index.passages[ordinal]!;
      for (const pattern of label.patterns ?? []) expect(patternFound(pattern, oneLine(text))).toBe(true);
      expect(areInOrder(label.steps ?? [], text)).toBe(true);
      expect(kind === 'absent').toBe(label.answerable === false);
      const missing = /^What is (ADR-\d+) about/.exec(label.query)?.[1];
      if (missing !== undefined) expect(all.includes(missing)).toBe(label.answerable !== false);
    }
  });

  it('gives the same questions in the same order again, and others by another chance', async () => {
    const { index, identifiers } = await indexed(PAGES);
    const asked = (seed: number) => propose(index, { n: 50, random: seededRandom(seed), identifiers });
    expect(asked(1)).toEqual(asked(1));
    expect(asked(2).map(({ id }) => id)).not.toEqual(asked(1).map(({ id }) => id));
    expect(new Set(asked(1).map(({ id }) => id)).size).toBe(asked(1).length);
  });

  it('asks about removed documents what nothing here names', async () => {
    const part = { 'urn.html': PAGES['urn.html'], 'ADR-0003.md': PAGES['ADR-0003.md'] };
    const removed = (await indexed(PAGES)).index;
    const { proposals } = await proposed(part, { removed });
    const absent = proposals.filter((each) => each.removed);
    expect(absent.map(({ label: { query } }) => query)).toContain('What does "limescale" mean?');
    for (const { label } of absent)
      expect(label).toMatchObject({ answerable: false, group: 'docs/kettle.html' });
  });

  it('takes any document, however odd', async () => {
    const odd = `<title>Odd</title>${'<dl><dt>'.repeat(300)}${'<p>To x, y. '.repeat(500)}<ol>${'<li>a<ol>'.repeat(200)}`;
    const { proposals } = await proposed({ 'odd.html': odd, 'empty.md': '# \n\n-\n' });
    for (const { id, label } of proposals) expect(Labelled.safeParse({ id, ...label }).success).toBe(true);
  });
});
