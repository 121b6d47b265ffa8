import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadIdentifiers } from './identifiers/index.ts';
import { buildIndex, openIndex, passageText } from './index.ts';
import { indexHash } from './store/manifest.ts';
import { bytesOf, options, put, Scratch, unprivileged, vectorFor } from './testing/support.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const FILES = {
  'guide.md':
    '# Guide\n\nThe pump moves water. It runs at 50 Hz.\n\n## Start\n\n1. Press the button.\n2. Wait.\n',
  'notes/plain.txt': 'First paragraph of the notes.\n\nSecond paragraph of the notes.\n',
  'faq.jsonl':
    '{"_id":"q1","title":"Price","text":"It costs ten euros."}\n{"id":2,"text":"Closed on Sundays."}\n',
};

describe('building and opening', () => {
  it('keeps passages, vectors and documents together', async () => {
    const docs = scratch.folder(FILES);
    const out = join(scratch.folder(), 'index');
    const report = await buildIndex([docs], options(out));
    const index = await openIndex(out);
    expect(index.documents.map(({ docId }) => docId)).toEqual([
      '2',
      'docs/guide.md',
      'docs/notes/plain.txt',
      'q1',
    ]);
    expect(report).toMatchObject({
      added: 4,
      changed: 0,
      unchanged: 0,
      removed: 0,
      failed: [],
      rebuilt: null,
    });
    expect(report.hash).toBe(index.manifest.hash);
    index.passages.forEach((passage, row) => {
      const vector = index.vectors.subarray(row * index.dimension, (row + 1) * index.dimension);
      expect([...vector]).toEqual([...vectorFor(passageText(passage))]);
    });
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000001']);
    expect(Object.keys(index.manifest.segments)).toContain('identifiers');
    expect(() => index.segment('no-such-part')).toThrow(expect.objectContaining({ code: 'INDEX_UNUSABLE' }));
  });

  it('gives the same bytes for the same input, in whatever order it was named', async () => {
    const a = scratch.folder(FILES);
    const [one, two] = [scratch.folder(), scratch.folder()];
    await buildIndex([join(a, 'guide.md'), join(a, 'faq.jsonl')], options(one));
    await buildIndex([join(a, 'faq.jsonl'), join(a, 'guide.md')], options(two));
    expect(bytesOf(two)).toEqual(bytesOf(one));
  });
});

describe('structure', () => {
  const page =
    '<title>Tool</title><h1>Options</h1><dl><dt>-a<dt>--all[=WHEN]<dd>Shows all of them, hidden ones too.' +
    '<dt>-A<dd>Shows almost all of them, not the two dots.</dl><h2>Notes</h2><ol><li>Stop.<li>Go.</ol>';

  it('is there by passage and by term, and stays what it is in the next build', async () => {
    const docs = scratch.folder({ 'tool.html': page, 'a.md': '# All\n\nThe whole of it.\n' });
    const out = scratch.folder();
    const told = async () => {
      const index = await openIndex(out);
      const titles = (term: string) => index.entriesOf(term).map((ordinal) => index.passages[ordinal]!.title);
      const parts = index.passages.map((_, ordinal) =>
        index.partsOf(ordinal).map(({ kind, position, term }) => [kind, position, term]),
      );
      return { titles, parts };
    };
    await buildIndex([docs], options(out));
    const { titles, parts } = await told();
    expect(titles('--all')).toEqual(['Tool > Options > -a, --all[=WHEN]', 'All']);
    expect(titles('“-A”')).toEqual(['Tool > Options > -A', 'Tool > Options > -a, --all[=WHEN]']);
    expect(titles('notes')).toEqual(['Tool > Options > Notes']);
    expect(titles('__proto__')).toEqual([]);
    expect(parts).toEqual([
      [['paragraph', null, null]],
      [
        ['term', 1, '-a'],
        ['term', 1, '--all[=WHEN]'],
        ['description', 1, '-a, --all[=WHEN]'],
      ],
      [
        ['term', 2, '-A'],
        ['description', 2, '-A'],
      ],
      [
        ['item', 1, null],
        ['item', 2, null],
      ],
    ]);
    put(docs, 'a.md', '# All\n\nThe whole of them.\n');
    await buildIndex([docs], options(out));
    expect((await told()).parts).toEqual(parts);
  });
});

describe('what is left out', () => {
  const page = Array.from({ length: 90 }, (_, i) => `Pump number ${i} moves water to ${i} places.`).join(
    '\n\n',
  );
  const rows = Array.from({ length: 90 }, (_, i) => `<li><a href="p.html#${i}">Pump number ${i}</a>`).join(
    '',
  );

  it('is a page that is another page, or of links alone, each named and no failure', async () => {
    const docs = scratch.folder({
      'index.md': page.toUpperCase(),
      'pumps.md': page,
      'near.md': page.replace('Pump number 3 moves water to 3 places.', ''),
      'other.md': page.replace('Pump number 3 ', 'Pump number 93 '),
      'all.html': `<h1>Index</h1><ul>${rows}</ul>`,
      'short-a.md': 'Nothing to say.',
      'short-b.md': 'Nothing to say.',
      'made.html': '<p>The pump is loud.',
      '_sources/made.rst.txt': 'The ``pump`` is **loud**.',
      '_sources/alone.rst.txt': 'The ``valve`` is stuck.',
    });
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    const report = await buildIndex([docs], options(out));
    expect(report.failed).toEqual([]);
    expect(report.leftOut).toEqual([
      {
        name: 'docs/_sources/made.rst.txt',
        reason: 'is what docs/made.html was made of',
        of: 'docs/made.html',
      },
      { name: 'docs/all.html', reason: 'is an index of links', of: null },
      { name: 'docs/index.md', reason: 'is the same as docs/pumps.md', of: 'docs/pumps.md' },
      { name: 'docs/near.md', reason: 'holds nothing that is not in docs/other.md', of: 'docs/other.md' },
    ]);
    const files = [
      'docs/_sources/alone.rst.txt',
      ...['docs/made.html', 'docs/other.md', 'docs/pumps.md', 'docs/short-a.md', 'docs/short-b.md'],
    ];
    const { documents } = await openIndex(out);
    expect(documents.map(({ docId }) => docId)).toEqual(files);
    rmSync(join(docs, 'pumps.md'));
    expect(await buildIndex([docs], options(out))).toMatchObject({ added: 1, removed: 1 });
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
  });
});

describe('bringing an index up to date', () => {
  it('adds, changes and removes by content, and ends with the bytes of a fresh build', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    await buildIndex([docs], options(out));
    put(docs, 'new.txt', 'A new text about valves.');
    put(docs, 'faq.jsonl', '\n{"_id":"q1","title":"Price","text":"It costs twelve euros."}\n');
    const again = options(out);
    const report = await buildIndex([docs], again);
    expect(report).toMatchObject({ added: 1, changed: 1, unchanged: 2, removed: 1, rebuilt: null });
    expect(again.embedded.sort()).toEqual(['Price: It costs twelve euros.', 'new: A new text about valves.']);
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000002']);
  });

  it('embeds nothing again when nothing changed, also when records move within their file', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    const first = await buildIndex([docs], options(out));
    expect(await buildIndex([docs], options(out))).toMatchObject({
      unchanged: 4,
      embedded: 0,
      hash: first.hash,
    });
    put(docs, 'faq.jsonl', `\n\n${FILES['faq.jsonl']}`);
    expect(await buildIndex([docs], options(out))).toMatchObject({ unchanged: 4, changed: 0, embedded: 0 });
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
    expect((await openIndex(out)).passages.find(({ docId }) => docId === 'q1')).toMatchObject({
      position: '3:1',
    });
  });

  it('keeps what is missing when told to', async () => {
    const out = scratch.folder();
    await buildIndex([scratch.folder({ 'a.txt': 'The first text.' })], options(out));
    const other = scratch.folder({ 'b.txt': 'The second text.' });
    const kept = await buildIndex([other], options(out, { keepMissing: true }));
    expect(kept).toMatchObject({ added: 1, removed: 0, embedded: 1, counts: { documents: 2 } });
    await expect(
      buildIndex([other], options(out, { keepMissing: true, maxTokens: 50 })),
    ).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect(await buildIndex([other], options(out))).toMatchObject({ removed: 1, unchanged: 1 });
  });

  it('takes out what is named and nothing else, cut as the index is', async () => {
    const out = scratch.folder();
    const docs = scratch.folder({
      'a.txt': 'The first text.',
      'b.txt': 'The second text.',
      'c.txt': 'Third.',
    });
    await buildIndex([docs], options(out, { maxTokens: 50 }));
    const less = await buildIndex([], options(out, { remove: ['docs/b.txt', 'docs/x.txt'] }));
    expect(less).toMatchObject({ removed: 1, unchanged: 2, embedded: 0, unknown: ['docs/x.txt'] });
    const fresh = scratch.folder();
    const other = scratch.folder({ 'a.txt': 'The first text.', 'c.txt': 'Third.' });
    await buildIndex([other], options(fresh, { maxTokens: 50 }));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
    const again = scratch.folder({ 'a.txt': 'Another first text.' });
    const both = await buildIndex([again], options(out, { remove: ['docs/a.txt', 'docs/c.txt'] }));
    expect(both).toMatchObject({ changed: 1, removed: 1, counts: { documents: 1 } });
    await expect(buildIndex([], options(out, { remove: ['docs/a.txt'] }))).rejects.toMatchObject({
      code: 'EMPTY_INPUT',
      message: 'Nothing would be left in the index.',
    });
  });

  it('keeps files of the same name in two folders apart, in one build or in two', async () => {
    const dir = scratch.folder({ 'x1/readme.md': 'The first text.', 'x2/readme.md': 'The second text.' });
    const [x1, x2] = [join(dir, 'x1'), join(dir, 'x2')];
    const [one, two] = [scratch.folder(), scratch.folder()];
    expect(await buildIndex([x1, x2], options(one))).toMatchObject({ added: 2, failed: [] });
    await buildIndex([x1], options(two));
    const more = await buildIndex([x2], options(two, { keepMissing: true }));
    expect(more).toMatchObject({ added: 1, changed: 0, failed: [] });
    expect(bytesOf(two)).toEqual(bytesOf(one));
    expect((await openIndex(one)).documents).toMatchObject([
      { docId: 'x1/readme.md', source: 'x1/readme.md' },
      { docId: 'x2/readme.md', source: 'x2/readme.md' },
    ]);
  });

  it('never replaces a record that is kept by one of another file', async () => {
    const dir = scratch.folder({
      'x1/a.jsonl': '{"_id":"q1","text":"The first text."}',
      'x2/a.jsonl': '{"_id":"q1","text":"The second text."}\n{"_id":"q2","text":"The third text."}',
    });
    const out = scratch.folder();
    await buildIndex([join(dir, 'x1')], options(out));
    const more = await buildIndex([join(dir, 'x2')], options(out, { keepMissing: true }));
    expect(more).toMatchObject({ added: 1, changed: 0 });
    expect(more.failed).toEqual([
      { name: 'x2/a.jsonl#q1', code: 'INVALID_INPUT', reason: 'its id "q1" is taken by x1/a.jsonl#q1' },
    ]);
    expect((await openIndex(out)).passages.map(({ text }) => text)).toEqual([
      'The first text.',
      'The third text.',
    ]);
    put(dir, 'x1/b.jsonl', '{"_id":"q1","text":"The record has moved."}');
    put(dir, 'x1/a.jsonl', '{"_id":"q0","text":"Another text."}');
    const moved = await buildIndex([join(dir, 'x1')], options(out, { keepMissing: true }));
    expect(moved).toMatchObject({ added: 1, changed: 1, failed: [] });
  });

  it('keeps what it cannot read any more as it was, and says so', async () => {
    const squad = (context: string) =>
      JSON.stringify({ data: [{ title: 'Pump', paragraphs: [{ context }] }] });
    const docs = scratch.folder({
      ...FILES,
      'closed/a.txt': 'A text in a folder.',
      'closed/b.txt': 'Another one.',
      'squad.json': squad('The pump is red.'),
      'gone.txt': 'A text that goes.',
    });
    const out = scratch.folder();
    const before = await buildIndex([docs], options(out));
    chmodSync(join(docs, 'guide.md'), 0);
    chmodSync(join(docs, 'faq.jsonl'), 0);
    chmodSync(join(docs, 'closed'), 0);
    rmSync(join(docs, 'gone.txt'));
    put(docs, 'squad.json', squad('The pump is blue.').slice(0, -9));
    put(docs, 'notes/plain.txt', 'Changed.');
    const again = options(out);
    // What reads a PDF is loaded when first needed, perhaps from where that user may not read.
    await buildIndex([docs], options(scratch.folder()));
    const report = await unprivileged([docs, out], () => buildIndex([docs], again));
    chmodSync(join(docs, 'closed'), 0o700);
    expect(report).toMatchObject({ added: 0, changed: 1, unchanged: 6, removed: 1 });
    expect(again.embedded).toEqual(['plain: Changed.']);
    expect(report.failed.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      'docs/closed/: no permission; kept as it was (2 documents)',
      'docs/faq.jsonl: no permission; kept as it was (2 documents)',
      'docs/guide.md: no permission; kept as it was (1 document)',
      'docs/squad.json: is not JSON; kept as it was (1 document)',
    ]);
    expect(before.counts.documents).toBe(8);
    expect((await openIndex(out)).documents).toHaveLength(7);
    const building = () => buildIndex([docs], options(out, { maxTokens: 50 }));
    await expect(building()).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('--max-tokens 220'),
    });
  });

  it('refuses paths that have nothing of the index in them', async () => {
    const dir = scratch.folder({ 'x1/a.md': 'One.', 'x1/b.md': 'Two.', 'x2/a.md': 'Three.' });
    const out = scratch.folder();
    const { hash } = await buildIndex([join(dir, 'x1')], options(out));
    await expect(buildIndex([join(dir, 'x2')], options(out))).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('all 2 documents of the index would be dropped'),
      hint: expect.stringMatching(/--keep-missing.*another --out.*remove the folder/),
    });
    expect((await openIndex(out)).manifest.hash).toBe(hash);
    put(dir, 'x1/a.md', 'Changed.');
    expect(await buildIndex([join(dir, 'x1', 'a.md'), join(dir, 'x1')], options(out))).toMatchObject({
      changed: 1,
      unchanged: 1,
    });
  });

  it('builds everything anew for another embedder or other settings, and says so', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    await buildIndex([docs], options(out));
    const embedder = { name: 'other', sha256: 'f'.repeat(64), dimension: 8 };
    const other = await buildIndex([docs], options(out, { embedder }));
    expect(other.rebuilt).toBe('The index was made with another embedder.');
    expect(other.embedded).toBe(other.counts.passages);
    const shorter = await buildIndex([docs], options(out, { embedder, maxTokens: 16 }));
    expect(shorter.rebuilt).toBe('The index was made with other passage settings.');
    await buildIndex([docs], options(fresh, { embedder, maxTokens: 16 }));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
  });

  it('mends an index that is damaged', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    await buildIndex([docs], options(out));
    writeFileSync(join(out, 'generation-000001', 'vectors.f32'), 'x');
    const report = await buildIndex([docs], options(out));
    expect(report.rebuilt).toContain('vectors.f32 has another size');
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
  });

  it('embeds equal texts once', async () => {
    const docs = scratch.folder({ 'a.jsonl': '{"_id":"1","text":"Same."}\n{"_id":"2","text":"Same."}\n' });
    const run = options(scratch.folder());
    expect(await buildIndex([docs], run)).toMatchObject({ embedded: 1, counts: { passages: 2 } });
    expect(run.embedded).toEqual(['Same.']);
  });
});

describe('what cannot be indexed', () => {
  it('is reported by name, and the rest is indexed', async () => {
    const docs = scratch.folder({
      ...FILES,
      'bad.pdf': 'no pdf',
      'binary.txt': Buffer.from([0, 255, 0, 254, 1, 2, 3]),
      'blank.md': ' \n',
      'locked.txt': 'secret',
      'twice.jsonl': '{"_id":"q1","text":"Again."}\n{"_id":"__proto__","text":"Proto."}\n',
      'closed/x.txt': 'x',
    });
    const out = scratch.folder();
    chmodSync(join(docs, 'locked.txt'), 0);
    chmodSync(join(docs, 'closed'), 0);
    // What reads a PDF is loaded when first needed, perhaps from where that user may not read.
    await buildIndex([docs], options(scratch.folder()));
    const report = await unprivileged([docs, out], () => buildIndex([docs], options(out)));
    chmodSync(join(docs, 'closed'), 0o700);
    expect(report.failed).toEqual([
      { name: 'docs/bad.pdf', code: 'UNREADABLE_DOCUMENT', reason: 'is not a PDF, or is damaged' },
      { name: 'docs/binary.txt', code: 'UNREADABLE_DOCUMENT', reason: 'is not text' },
      { name: 'docs/blank.md', code: 'UNREADABLE_DOCUMENT', reason: 'holds no text' },
      { name: 'docs/closed/', code: 'UNREADABLE_DOCUMENT', reason: 'no permission' },
      { name: 'docs/locked.txt', code: 'UNREADABLE_DOCUMENT', reason: 'no permission' },
      {
        name: 'docs/twice.jsonl#q1',
        code: 'INVALID_INPUT',
        reason: 'its id "q1" is taken by docs/faq.jsonl#q1',
      },
    ]);
    const { documents, manifest } = await openIndex(out);
    expect(documents.map(({ docId }) => docId)).toEqual([
      '2',
      '__proto__',
      'docs/guide.md',
      'docs/notes/plain.txt',
      'q1',
    ]);
    expect(manifest.counts.failed).toBe(6);
  });

  it.each<[string, Record<string, string>]>([
    ['an empty folder', {}],
    ['a folder of other things', { 'a.png': 'x' }],
    ['nothing readable', { 'a.pdf': 'x' }],
  ])('%s is EMPTY_INPUT, and no folder is left behind', async (_, files) => {
    const out = join(scratch.folder(), 'index');
    const building = buildIndex([scratch.folder(files)], options(out));
    await expect(building).rejects.toMatchObject({ code: 'EMPTY_INPUT', exitCode: 66 });
    expect(existsSync(out)).toBe(false);
  });

  it('a path that does not exist is NOT_FOUND', async () => {
    const building = buildIndex([join(scratch.folder(), 'nope')], options(join(scratch.folder(), 'index')));
    await expect(building).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('where an index may not be written', () => {
  it('refuses a folder with other things in it, and a file', async () => {
    const docs = scratch.folder(FILES);
    const taken = scratch.folder({ 'thesis.txt': 'mine' });
    await expect(buildIndex([docs], options(taken))).rejects.toMatchObject({ code: 'USAGE' });
    await expect(buildIndex([docs], options(join(taken, 'thesis.txt')))).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect(readdirSync(taken)).toEqual(['thesis.txt']);
  });

  it('says that there is no permission', async () => {
    const docs = scratch.folder(FILES);
    const dir = scratch.folder();
    chmodSync(dir, 0o555);
    const building = unprivileged([docs], () => buildIndex([docs], options(join(dir, 'index'))));
    await expect(building).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('no permission'),
    });
  });

  it('does not index itself', async () => {
    const docs = scratch.folder(FILES);
    const out = join(docs, 'index');
    const first = await buildIndex([docs], options(out));
    expect(await buildIndex([docs], options(out))).toMatchObject({ hash: first.hash, unchanged: 4 });
  });
});

describe('an embedder that fails', () => {
  it.each<[string, (texts: readonly string[]) => Promise<Float32Array[]>]>([
    ['too few vectors', async () => []],
    ['another dimension', async (texts) => texts.map(() => new Float32Array(7))],
    ['numbers that are none', async (texts) => texts.map(() => new Float32Array(8).fill(Number.NaN))],
  ])('%s is an error, not an index', async (_, embed) => {
    const out = join(scratch.folder(), 'index');
    const building = buildIndex([scratch.folder(FILES)], options(out, { embed }));
    await expect(building).rejects.toMatchObject({ code: 'SCORING_FAILED' });
    await expect(openIndex(out)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });
});

describe('declared identifiers', () => {
  const docs = () => scratch.folder({ 'pump.txt': 'The pump of lot 7 is old.' });
  const identifiers = { families: ['lot'], patterns: ['Z/###'] };

  it('are part of the index and of its identity, and are told with what the documents have of them', async () => {
    const [plain, out, other] = [scratch.folder(), scratch.folder(), scratch.folder()];
    const dir = docs();
    const without = await buildIndex([dir], options(plain));
    expect(without.identifiers).toEqual([]);
    const report = await buildIndex([dir], options(out, { identifiers }));
    expect(report.identifiers).toEqual([
      { name: 'lot', members: 1 },
      { name: 'Z/###', members: 0 },
    ]);
    const more = await buildIndex([dir], options(other, { identifiers: { families: ['lot', 'QX'] } }));
    expect(new Set([without.hash, report.hash, more.hash]).size).toBe(3);
    const table = loadIdentifiers(await openIndex(out));
    expect(table.extract('Where are lot 8 and z/001?').map(({ id }) => [id, table.has(id)])).toEqual([
      ['lot 8', false],
      ['Z/001', false],
    ]);
    expect(table.nearest('lot 8', 3)).toEqual(['lot 7']);
  });

  it('stay when the index is brought up to date, until others or none are declared', async () => {
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    const dir = docs();
    const first = await buildIndex([dir], options(out, { identifiers }));
    expect(await buildIndex([dir], options(out))).toMatchObject({ hash: first.hash, embedded: 0 });
    const added = scratch.folder({ 'new.txt': 'It came with lot 9.' });
    const kept = await buildIndex([added], options(out, { keepMissing: true }));
    expect(kept.identifiers).toEqual([
      { name: 'lot', members: 2 },
      { name: 'Z/###', members: 0 },
    ]);
    expect(await buildIndex([dir], options(out, { identifiers: {} }))).toMatchObject({ identifiers: [] });
    await buildIndex([dir], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
  });

  it('that do not fit are told before anything is read, and leave nothing behind', async () => {
    const out = join(scratch.folder(), 'index');
    const given = options(out, { identifiers: { patterns: ['Z-1'] } });
    await expect(buildIndex([docs()], given)).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('patterns.0: "Z-1"'),
    });
    expect(given.embedded).toEqual([]);
    expect(existsSync(out)).toBe(false);
  });

  it('have to be declared again where the index that held them cannot be read', async () => {
    const out = scratch.folder();
    const dir = docs();
    await buildIndex([dir], options(out, { identifiers }));
    writeFileSync(join(out, 'generation-000001', 'identifiers.bin'), 'x');
    const rebuilt = await buildIndex([dir], options(out));
    expect(rebuilt.rebuilt).toMatch(/damaged.* have to be declared again\.$/);
    expect(rebuilt.identifiers).toEqual([]);
  });

  it('are none in an index of a version that knew of none', async () => {
    const out = scratch.folder();
    await buildIndex([docs()], options(out));
    const path = join(out, 'generation-000001', 'manifest.json');
    const { hash: _, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
    delete manifest.segments['identifiers.declared'];
    writeFileSync(path, JSON.stringify({ ...manifest, hash: indexHash(manifest) }));
    expect(await buildIndex([docs()], options(out))).toMatchObject({ identifiers: [], rebuilt: null });
  });
});
