import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openVocabulary, type Vocabulary } from './index.ts';

const SKOS = 'http://www.w3.org/2004/02/skos/core#';
const PREFIX = `@prefix skos: <${SKOS}> .\n@prefix ex: <http://example.org/> .\n`;
const TURTLE = `${PREFIX}
ex:feeder a skos:Concept ; skos:prefLabel "Feeder line"@en, "Abgang"@de ; skos:altLabel "distribution feeder" ;
  skos:hiddenLabel "feedr" ; skos:definition "A line that leaves a substation."@en ; skos:broader ex:line .
ex:line a skos:Concept ; skos:prefLabel "Line"@en ; skos:narrower ex:feeder .
ex:scheme a skos:ConceptScheme .
`;
const RDF = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY ex "http://example.org/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="${SKOS}">
<skos:Concept rdf:about="&ex;feeder"><skos:prefLabel xml:lang="en">Feeder line</skos:prefLabel>
<skos:prefLabel xml:lang="de">Abgang</skos:prefLabel><skos:altLabel>distribution feeder</skos:altLabel>
<skos:hiddenLabel>feedr</skos:hiddenLabel>
<skos:definition xml:lang="en">A line that leaves a substation.</skos:definition>
<skos:broader rdf:resource="&ex;line"/></skos:Concept>
<skos:Concept rdf:about="&ex;line"><skos:prefLabel xml:lang="en">Line</skos:prefLabel></skos:Concept></rdf:RDF>`;
const JSONLD = JSON.stringify({
  '@context': { skos: SKOS, ex: 'http://example.org/' },
  '@graph': [
    {
      '@id': 'ex:feeder',
      '@type': 'skos:Concept',
      'skos:prefLabel': [
        { '@value': 'Feeder line', '@language': 'en' },
        { '@value': 'Abgang', '@language': 'de' },
      ],
      'skos:altLabel': 'distribution feeder',
      'skos:hiddenLabel': 'feedr',
      'skos:definition': { '@value': 'A line that leaves a substation.', '@language': 'en' },
      'skos:broader': { '@id': 'ex:line' },
    },
    { '@id': 'ex:line', '@type': 'skos:Concept', 'skos:prefLabel': { '@value': 'Line', '@language': 'en' } },
  ],
});
const CSV =
  'id;Term;Synonyms;Hidden label;Definition;Broader term\n' +
  'http://example.org/feeder;Feeder line;distribution feeder;feedr;"A line that\nleaves a substation.";line\n' +
  'http://example.org/line;Line;;;;\n';

let folder: string;
const put = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const open = async (name: string, content: string | Uint8Array, more = {}): Promise<Vocabulary> =>
  (await openVocabulary({ files: [put(name, content)], ...more }))!;
const named = (terms: Vocabulary, text: string): string[] =>
  terms.find(text).map(({ text: written, concepts }) => `${written}=${concepts.map(({ label }) => label)}`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pragaura-vocabulary-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('every format', () => {
  it.each([
    ['a.ttl', TURTLE],
    ['a.rdf', RDF],
    ['a.jsonld', JSONLD],
    ['a.csv', CSV],
    ['a.ttl.gz', gzipSync(TURTLE)],
    ['bom.ttl', Buffer.from(`\ufeff${TURTLE}`)],
    ['utf16.csv', Buffer.from(`\ufeff${CSV}`, 'utf16le')],
    ['latin.xml', Buffer.from(RDF.replace('UTF-8', 'ISO-8859-1'), 'latin1')],
  ])('%s says the same', async (name, content) => {
    const terms = await open(name, content);
    expect(terms.concepts.find(({ label }) => label === 'Feeder line')).toEqual({
      id: 'http://example.org/feeder',
      label: 'Feeder line',
      alternatives: ['distribution feeder'],
      hidden: ['feedr'],
      definition: 'A line that leaves a substation.',
      broader: ['http://example.org/line'],
      source: name,
    });
    expect(terms.report).toMatchObject({ files: [name], concepts: 2, labels: 4, definitions: 1 });
  });

  it('reads labels and definitions that stand behind a node, and none that is deprecated', async () => {
    const terms = await open(
      'xl.ttl',
      `${PREFIX}@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
      ex:a a skos:Concept ; xl:prefLabel [ xl:literalForm "Busbar"@en ] ;
        skos:definition [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "A bar."@en ] .
      ex:b a skos:Concept ; skos:prefLabel "Old" ; owl:deprecated true . ex:c a skos:Concept .`,
    );
    expect(terms.concepts.map(({ label, definition }) => [label, definition])).toEqual([
      ['Busbar', 'A bar.'],
    ]);
    expect(terms.report.leftOut).toEqual({ labels: 0, deprecated: 1, unlabelled: 1 });
  });

  it('takes the languages asked for, and another one only where there is nothing else', async () => {
    const text = `${PREFIX}ex:a skos:prefLabel "Katze"@de, "cat"@en-GB . ex:b skos:prefLabel "Hund"@de, "chien"@fr .`;
    const [a, b] = (await open('l.ttl', text)).concepts;
    expect([a!.label, a!.alternatives, b!.label, b!.alternatives]).toEqual(['cat', [], 'Hund', []]);
    const german = await open('l.ttl', text, { languages: ['de', 'en'] });
    expect([german.concepts[0]!.label, german.concepts[0]!.alternatives]).toEqual(['Katze', ['cat']]);
  });

  it('takes any number of short entities, whatever their names', async () => {
    const entities = Array.from(
      { length: 50 },
      (_, i) => `<!ENTITY ${'n'.repeat(300)}${i} "http://e.org/${i}">`,
    );
    const text = RDF.replace('<!ENTITY ', `<!-- "<x> --> ${entities.join('\n')} <!ENTITY `);
    expect((await open('entities.rdf', text)).report.concepts).toBe(2);
  });

  it('puts files together', async () => {
    const more = put('more.ttl', `${PREFIX}ex:line skos:definition "A conductor." .`);
    const terms = (await openVocabulary({ files: [put('a.ttl', TURTLE), more] }))!;
    expect(terms.concepts.map(({ definition }) => definition)).toContain('A conductor.');
    expect(await openVocabulary()).toBeNull();
  });
});

describe('a vocabulary with faults', () => {
  it('that goes in circles is read, told, and walked once round', async () => {
    const terms = await open(
      'loop.csv',
      'term,broader\nA,B\nB,C\nC,A\nSelf,Self\nTree,A\n__proto__,constructor\nconstructor,\n',
    );
    expect(terms.report.loops.count).toBe(2);
    const above = (label: string): string[] =>
      terms.above(terms.concepts.find((each) => each.label === label)!, 9).map((each) => each.label);
    expect(above('Tree')).toEqual(['A', 'B', 'C']);
    expect(above('A')).toEqual(['B', 'C']);
    expect(above('Self')).toEqual([]);
    expect(above('__proto__')).toEqual(['constructor']);
  });

  it('whose chain is a hundred thousand concepts deep does not exhaust the stack', async () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => `t${i},t${(i + 1) % 100_000}`);
    const terms = await open('deep.csv', `term,broader\n${rows.join('\n')}\n`);
    expect(terms.report.loops.count).toBe(1);
    expect(terms.above(terms.concepts[0]!, 3).map(({ label }) => label)).toEqual(['t1', 't2', 't3']);
  });

  it('with one label for several concepts keeps them all', async () => {
    const terms = await open(
      'm.csv',
      'term,definition\nMercury,A planet.\nmercury,A metal.\nMercury,A god.\n',
    );
    expect(terms.report.sharedLabels).toEqual({ count: 1, examples: ['mercury'] });
    expect(terms.find('what is Mercury?')[0]!.concepts.map(({ definition }) => definition)).toEqual([
      'A planet.',
      'A metal.',
      'A god.',
    ]);
  });

  it('keeps within its limits and counts what it leaves out', async () => {
    const long = 'x'.repeat(40);
    const csv = `term,synonyms,definition\nA,${long}|b|c|d,${long}\n`;
    const terms = await open('big.csv', csv, { maxLabelChars: 30, maxLabels: 2, maxDefinitionChars: 10 });
    expect(terms.concepts[0]).toMatchObject({ alternatives: ['b', 'c'], definition: 'x'.repeat(10) });
    expect(terms.report).toMatchObject({ leftOut: { labels: 2 }, cutDefinitions: 1 });
  });

  const entity = RDF.replace('"http://example.org/"', `"${'e'.repeat(300)}"`);
  const bare = entity.replace(/^<\?xml.*\n/, '');
  const declaring = (text: string) => RDF.replace('<!ENTITY ', `${text} <!ENTITY `);
  const longNamed = declaring(`<!ENTITY ${'n'.repeat(201)} "${'e'.repeat(100_000)}">`);
  const behind = declaring(`<!ENTITY a "<b"> <!ENTITY c "${'e'.repeat(300)}">`);
  const mixed = declaring(`<!ENTITY a "<!ENTITY b '${'e'.repeat(300)}">`);
  it.each<[string, string, string | Uint8Array, object, RegExp]>([
    ['cut Turtle', 'c.ttl', TURTLE.slice(0, 300), {}, /not sound Turtle.*line/],
    ['cut RDF/XML', 'c.rdf', RDF.slice(0, 600), {}, /not sound RDF\/XML/],
    ['cut JSON-LD', 'c.jsonld', JSONLD.slice(0, 300), {}, /ends before its brackets/],
    [
      'a context on the network',
      'n.jsonld',
      '{"@context":"http://x.org/c","@id":"urn:a"}',
      {},
      /never asked/,
    ],
    ['a context behind its data', 'o.jsonld', '{"@id":"urn:a","b":"c","@context":{}}', {}, /out-of-order/],
    ['long entities', 'e.rdf', entity, {}, /entity longer than 256/],
    ['long entities of long names', 'e.rdf', longNamed, {}, /entity longer than 256/],
    ['long entities behind an element in quotation marks', 'e.rdf', behind, {}, /entity longer than 256/],
    ['long entities behind a comment', 'e.rdf', `<!-- <a> -->\n${bare}`, {}, /entity longer than 256/],
    ['long entities in marks that do not match', 'e.rdf', mixed, {}, /entity longer than 256/],
    ['an open quotation mark', 'q.csv', 'term,definition\nA,"open\nB,c\n', {}, /not a sound table/],
    ['a table without terms', 't.csv', 'word,sense\na,b\n', {}, /no column for its terms/],
    ['no term', 'none.ttl', `${PREFIX}ex:a skos:note "n" .`, {}, /holds no term/],
    ['nothing', 'empty.ttl', '', {}, /holds no term/],
    ['letters of another encoding', 'w.csv', Buffer.from('term\nStra\xdfe\n', 'latin1'), {}, /not UTF-8/],
    ['an unknown encoding', 'u.xml', RDF.replace('UTF-8', 'KLINGON'), {}, /KLINGON/],
    ['zero bytes', 'z.csv', Buffer.from('t\0e\0r\0m\0'), {}, /not text/],
    ['damaged gzip', 'g.ttl.gz', gzipSync(TURTLE).subarray(0, 60), {}, /cannot be read/],
    ['too many bytes', 'm.ttl', TURTLE, { maxBytes: 100 }, /larger than 100 bytes/],
    ['a bomb', 'b.ttl.gz', gzipSync(Buffer.alloc(1 << 20, 35)), { maxBytes: 1 << 16 }, /larger than 65536/],
    ['too many concepts', 'k.csv', 'term\na\nb\nc\n', { maxConcepts: 2 }, /more than 2 concepts/],
    ['another format', 'x.pdf', 'x', {}, /no format that is read/],
  ])('is refused with %s', async (_, name, content, settings, message) => {
    await expect(open(name, content, settings)).rejects.toMatchObject({
      code: 'VOCABULARY_UNUSABLE',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['csv', (i: number) => `term ${i}`, 'term'],
    ['ttl', (i: number) => `ex:t${i} skos:prefLabel "term ${i}" .`, PREFIX],
  ])('says which limit a large file passes, not that reading was cut off: %s', async (format, line, head) => {
    const lines = Array.from({ length: 60_000 }, (_, i) => line(i));
    await expect(
      open(`large.${format}`, [head, ...lines].join('\n'), { maxConcepts: 100 }),
    ).rejects.toMatchObject({
      code: 'VOCABULARY_UNUSABLE',
      message: 'The vocabulary has more than 100 concepts.',
      hint: expect.stringContaining('--vocabulary-max-concepts 200 '),
    });
  });

  it('says how a file that is too large may be read', async () => {
    await expect(open('m.ttl', TURTLE, { maxBytes: 100 })).rejects.toMatchObject({
      hint: expect.stringContaining('--vocabulary-max-bytes 200 '),
    });
  });

  it('that is not there is not found, and settings that do not fit say which', async () => {
    const missing = { files: [join(folder, 'no.ttl')] };
    await expect(openVocabulary(missing)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringContaining('--vocabulary '),
    });
    await expect(openVocabulary({ languages: ['en', 'die Sprache'] })).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringMatching(/vocabulary\.languages\.1: is no tag of a language/),
    });
    await expect(openVocabulary({ maxBytes: -1 })).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('vocabulary.maxBytes'),
    });
  });
});

describe('terms in a query', () => {
  let terms: Vocabulary;
  beforeAll(async () => {
    terms = await open(
      'terms.csv',
      'term,synonyms,hidden\nHigh voltage,HV,\nHigh voltage line,,\nBattery,accumulator,batery\nIT,,\n' +
        'Policy,,\nBox,,\nC++,,\nCafé,,\nLine,,\nMains,,\nMain,,\n電力,,\n',
    );
  });

  it.each<[string, string[]]>([
    ['What is a high voltage line?', ['high voltage line=High voltage line']],
    [
      'HIGH-VOLTAGE Lines and high voltages',
      ['HIGH-VOLTAGE Lines=High voltage line', 'high voltages=High voltage'],
    ],
    ['Which policies hold for batteries?', ['policies=Policy', 'batteries=Battery']],
    ["the battery's accumulator, a batery", ['battery=Battery', 'accumulator=Battery', 'batery=Battery']],
    ['is hv dangerous', ['hv=High voltage']],
    ['is it ready for IT?', ['IT=IT']],
    ['boxes in a cafe, in C++ but not C', ['boxes=Box', 'cafe=Café', 'C++=C++']],
    ['Why is it high? Voltage is low.', []],
    ['main and mains', ['main=Main', 'mains=Mains']],
    ['b\u200battery', ['b\u200battery=Battery']],
    ['電力とは', ['電力=電力']],
    ['offline baseline', []],
    ['', []],
  ])('%s', (query, expected) => {
    expect(named(terms, query)).toEqual(expected);
    for (const { text, start, end } of terms.find(query)) expect(query.slice(start, end)).toBe(text);
  });

  it('are looked for in bounded time in a megabyte of text', () => {
    expect(terms.find('high '.repeat(200_000))).toEqual([]);
  });

  it('prefers the concept whose own name it is', async () => {
    const both = await open('p.csv', 'term,synonyms\nCell,Battery\nBattery,\n');
    expect(named(both, 'battery')).toEqual(['battery=Battery']);
  });

  it.each<[string, string[]]>([
    ['high voltag', ['High voltage', 'High voltage line']],
    ['battary', ['Battery']],
    ['high voltage cable', ['High voltage line']],
    ['flux capacitor', []],
    ['a', []],
  ])('offers for "%s" what exists', (asked, expected) => {
    expect(terms.nearest(asked, 3)).toEqual(expected);
  });
});
