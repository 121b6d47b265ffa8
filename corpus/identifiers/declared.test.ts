import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { buildIdentifiers, checkedDeclaration, declarationIn, loadIdentifiers } from './index.ts';
import { found, passage, tableOf, tableWith } from './testing/tables.ts';

const TEXT =
  'Pump P-101 feeds lot 7. See INV-2024-03 and pr\u00fcfplan-007. Code J45.0 and part 4711.0815 (file 12 O 345/23).';

describe('declared families', () => {
  const families = ['BR', 'P', 'lot', 'tickets', 'K2', 'COVID'];
  const table = tableWith({ families }, passage(TEXT), passage('a p 5 day in lot 9', 'BR-1'));

  it.each<[string, [string, boolean][]]>([
    ['Where is BR-2?', [['BR-2', false]]],
    [
      'where is br 1 or br2',
      [
        ['BR-1', true],
        ['BR-2', false],
      ],
    ],
    [
      'Is P-101 or p-102 on?',
      [
        ['P-101', true],
        ['P-102', false],
      ],
    ],
    [
      'What came with lot 7 and Lot 8?',
      [
        ['lot 7', true],
        ['lot 8', false],
      ],
    ],
    ['Who closed ticket 9?', [['ticket 9', false]]],
    ['Is there a K2-WHT?', [['K2-WHT', false]]],
    ['Was COVID-19 spoken of?', [['COVID-19', false]]],
    ['Only p 5 days?', []],
  ])('are believed, however few members there are: %s', (query, expected) => {
    expect(found(table, query)).toEqual(expected);
  });

  it('offer what there is, and say how much that is', () => {
    expect(table.nearest('BR-2', 3)).toEqual(['BR-1']);
    expect(table.declared).toEqual([
      { name: 'BR', members: 1 },
      { name: 'P', members: 1 },
      { name: 'lot', members: 2 },
      { name: 'ticket', members: 0 },
      { name: 'K2', members: 0 },
      { name: 'COVID', members: 0 },
    ]);
  });

  it('change nothing for those who declare none', () => {
    expect(tableOf(passage(TEXT)).extract('Where is BR-2, P-102, lot 8, ticket 9?')).toEqual([]);
  });
});

describe('declared patterns', () => {
  const patterns = [
    'INV-####-##',
    'Pr\u00fcfplan-###',
    '@##.#',
    '####.####',
    '## O #+/##',
    'MP-###',
    'K2-@@@',
    'C\\#-#',
  ];
  const table = tableWith(
    { patterns },
    passage(TEXT, '', 'INV-2024-04-draft'),
    passage('The part MP-120, K2-WHT, C#-1; an AB-45.1 and 2024.12345, INV-2024-077.'),
  );

  it.each<[string, [string, boolean][]]>([
    ['Was INV-2024-03 paid?', [['INV-2024-03', true]]],
    ['was inv\u20112024\u201103 paid', [['INV-2024-03', true]]],
    [
      'Was INV-2024-04 paid, or INV-2024-05?',
      [
        ['INV-2024-04', true],
        ['INV-2024-05', false],
      ],
    ],
    ['was inv 2024-3 paid', [['INV-2024-03', true]]],
    ['Was INV-2024-033 paid?', [['INV-2024-033', false]]],
    [
      'PR\u00dcFPLAN-007 or Pr\u00fcfplan-008',
      [
        ['Pr\u00fcfplan-007', true],
        ['Pr\u00fcfplan-008', false],
      ],
    ],
    [
      'What is j45.0? And J45.1.',
      [
        ['J45.0', true],
        ['J45.1', false],
      ],
    ],
    [
      'Part 4711.0815 or No.4711.0816',
      [
        ['4711.0815', true],
        ['4711.0816', false],
      ],
    ],
    [
      'Case 12 O 345/23, 12 o 0345/23, 12 O 9/23',
      [
        ['12 O 345/23', true],
        ['12 O 9/23', false],
      ],
    ],
    [
      'Is MP-120 an MP4 player, or MP-121?',
      [
        ['MP-120', true],
        ['MP-121', false],
      ],
    ],
    [
      'K2-WHT, k2-grn',
      [
        ['K2-WHT', true],
        ['K2-GRN', false],
      ],
    ],
    [
      'C#-1 and c#-2',
      [
        ['C#-1', true],
        ['C#-2', false],
      ],
    ],
    ['XINV, 2024.12345, AJ45.0, J45.01, J45.0.1, INV-2024-077-1', [['INV-2024-077-1', false]]],
  ])('are believed as they are written: %s', (query, expected) => {
    expect(found(table, query)).toEqual(expected);
    for (const { start, end } of table.extract(query)) expect(query.slice(start, end).trim()).not.toBe('');
  });

  it('offer members of the pattern', () => {
    expect(table.nearest('INV-2024-13', 1)).toEqual(['INV-2024-03']);
    expect(table.nearest('4711.0816', 3)).toEqual(['4711.0815']);
    expect(table.nearest('K2-WHY', 3)).toEqual(['K2-WHT']);
    expect(table.declared.find(({ name }) => name === 'INV-####-##')).toEqual({
      name: 'INV-####-##',
      members: 2,
    });
  });

  it('cost no more than the length of a text', () => {
    const greedy = tableWith({
      patterns: ['@+-@+-@+-#', '#+.#+.#+.#+/@', '#+-@', 'A-A-A-A-A-A-#', '@@@@ #'],
    });
    for (const piece of ['a-', 'a', '1.', '1', 'A-A-', 'ab ', '1-', '\ud800']) {
      expect(greedy.extract(piece.repeat(300_000))).toEqual([]);
    }
  });
});

describe('a declaration', () => {
  it('is kept in the blocks as it is meant, once', () => {
    const declared = checkedDeclaration({
      families: ['br', 'BR', 'Clause'],
      patterns: ['INV\u2013##', 'INV-##'],
    });
    expect(declared).toEqual({ families: ['br', 'section'], patterns: ['INV-##'] });
    const blocks = buildIdentifiers([], declared);
    expect(declarationIn({ segment: (name) => blocks[name]! })).toEqual(declared);
    expect(blocks).not.toEqual(buildIdentifiers([]));
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', ['BR'], /expected object/],
    ['an unknown key', { prefixes: ['BR'] }, /"prefixes"/],
    ['a family that is no text', { families: ['BR', 7] }, /families\.1: .*expected string/],
    [
      'a family that nothing is read by',
      { families: ['BR', 'No. 7'] },
      /families\.1: "No\. 7" is no word or code/,
    ],
    ['an empty family', { families: [''] }, /families\.0: "" is no word/],
    ['letters that codes have none of', { families: ['\u00d6l'] }, /families\.0: .*say it as a pattern/],
    [
      'a pattern in which nothing varies',
      { patterns: ['BR-1'] },
      /patterns\.0: "BR-1" has no "#" and no "@"/,
    ],
    ['a pattern of words', { patterns: ['A-#', '@+ @+'] }, /patterns\.1: .*has no digit/],
    ['a pattern of numbers', { patterns: ['## ##'] }, /patterns\.0: .*has digits only/],
    ['an end that is left open', { patterns: ['A-#+#'] }, /patterns\.0: .*where what "#\+" takes ends/],
    ['an end that is left open by a letter', { patterns: ['@+x-1'] }, /where what "@\+" takes ends/],
    ['a mark at the end', { patterns: ['A-#\\'] }, /ends with a "\\"/],
    ['a long one', { patterns: [`A-${'#'.repeat(50)}`] }, /patterns\.0: .*40/],
    ['too many', { families: Array(51).fill('BR') }, /families: /],
  ])('is refused with %s', (_, value, message) => {
    const check = () => checkedDeclaration(value);
    expect(check).toThrow(PragauraError);
    expect(check).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', message: expect.stringMatching(message) }),
    );
    expect(check).toThrow(expect.objectContaining({ hint: expect.stringContaining('INV-####-##') }));
  });

  it('that is damaged makes the index unusable', () => {
    const blocks = buildIdentifiers([]);
    for (const bytes of ['', '{"families": 1}', '\ud800']) {
      const segment = (name: string) =>
        name === 'identifiers' ? blocks[name]! : new TextEncoder().encode(bytes);
      expect(() => loadIdentifiers({ segment })).toThrow(expect.objectContaining({ code: 'INDEX_UNUSABLE' }));
    }
  });
});
