import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { buildIdentifiers, loadIdentifiers } from './index.ts';
import { found, passage, tableOf } from './testing/tables.ts';

const pad = (n: number): string => String(n).padStart(4, '0');

/** Forty decision records as a team would keep them. */
const records = Array.from({ length: 40 }, (_, i) =>
  passage(
    `We decided to use option ${i + 1}. Status: accepted.`,
    `ADR-${pad(i + 1)} Option > Context`,
    `adr-${pad(i + 1)}`,
  ),
);
const adrs = tableOf(...records);

describe('a corpus of forty ADRs', () => {
  const forms = [
    (n: number) => `What does ADR-${pad(n)} decide?`,
    (n: number) => `what does adr ${n} decide`,
    (n: number) => `Who approved ADR${pad(n)}?`,
    (n: number) => `Is ADR\u2011${n} still valid?`,
    (n: number) => `status of \uff21\uff24\uff32\uff0d${pad(n)}`,
    (n: number) => `A\u200bDR-${n}: which option?`,
  ];

  it('does not know any of 500 generated identifiers that do not exist, and names each', () => {
    for (let i = 0; i < 500; i += 1) {
      const n = 41 + i * 19;
      const query = forms[i % forms.length]!(n);
      expect([query, ...found(adrs, query)]).toEqual([query, [`ADR-${pad(n)}`, false]]);
    }
  });

  it('knows each of 500 mentions of identifiers that exist', () => {
    for (let i = 0; i < 500; i += 1) {
      const n = 1 + (i % 40);
      const query = forms[i % forms.length]!(n);
      expect([query, ...found(adrs, query)]).toEqual([query, [`ADR-${pad(n)}`, true]]);
    }
  });

  it('offers what may have been meant, of the same family, nearest first', () => {
    expect(adrs.nearest('ADR-0050', 3)).toEqual(['ADR-0040', 'ADR-0030', 'ADR-0020']);
    expect(adrs.nearest('ADR-0021', 1)).toEqual(['ADR-0020']);
    expect(adrs.nearest('ADR-0102', 2)).toEqual(['ADR-0012', 'ADR-0002']);
    expect(adrs.nearest('ARD-0012', 1)).toEqual(['ADR-0012']);
    expect(adrs.nearest('INV-2024-001', 3)).toEqual([]);
    expect(adrs.nearest('nothing', 3)).toEqual([]);
  });

  it('counts the passages that name one', () => {
    const table = tableOf(passage('ADR-0001 and ADR-1 again, ADR-0002'), passage('see adr 1', '', 'other'));
    expect([table.count('ADR-0001'), table.count('adr 2'), table.count('ADR-0003')]).toEqual([2, 1, 0]);
  });
});

describe('forms', () => {
  it.each([
    ['INV-2024-001', 'Was INV-2024-001 paid?', 'INV-2024-001'],
    ['See RFC 7231.', 'what is in rfc 7231', 'RFC 7231'],
    ['RFC 7230-7235 replace it', 'RFC 7232?', 'RFC 7232'],
    ['CVE-2021-44228 (log4j)', 'cve-2021-44228', 'CVE-2021-44228'],
    ['ISBN 978-3-16-148410-0', 'ISBN 978-3-16-148410-0', 'ISBN 978-3-16-148410-0'],
    ['E1001: disk. E1002: fan.', 'what does E1002 mean', 'E1002'],
    ['ORA-00942 table missing', 'ORA-942', 'ORA-00942'],
    ['PROJ-API-12, PROJ-API-13', 'PROJ-API-13', 'PROJ-API-13'],
    ['ISO/IEC 27001 and ISO 9001', 'ISO 27001', 'ISO 27001'],
    ['ticket #12, ticket no. 13, Ticket 19', 'Who closed ticket 13?', 'ticket 13'],
    ['v1.2.3, v1.2.4 and version 2.0', 'what is new in version 1.2.4', 'version 1.2.4'],
    ['Sections 3 to 5; § 4(2); section 12.3', 'section 12', 'section 12'],
    ['§ 4, § 7 und § 9', 'What does § 9 say?', 'section 9'],
    ['Article IV, Article V and Article VI', 'article 5', 'article 5'],
    ['Chapter one, chapter two, chapter three', 'chapter 2', 'chapter 2'],
  ])('"%s" knows "%s"', (text, query, id) => {
    const table = tableOf(passage(text));
    expect(table.has(id)).toBe(true);
    expect(table.extract(query).map((each) => table.has(each.id))).toEqual([true]);
  });

  it('takes numbered headings for sections', () => {
    const table = tableOf(
      passage('Thirty days.', 'Contract > 12. Payment > 12.3 Late payment'),
      passage('Ten days.', 'Contract > 13. Notices > 13.1 Form'),
    );
    expect(found(table, 'what does section 12.3 say')).toEqual([['section 12.3', true]]);
    expect(found(table, 'what does section 14 say')).toEqual([['section 14', false]]);
    expect(found(table, 'see clause 13')).toEqual([['section 13', true]]);
  });

  it('takes an identifier that stands only in the file name', () => {
    expect(tableOf(passage('Use option 3.', 'Option', 'decisions/adr-0003-option')).has('ADR-3')).toBe(true);
  });

  it('keeps offsets into the text as it was given', () => {
    const text = 'about A\u200bDR-0003 \ud83d\ude00';
    const [hit] = adrs.extract(text);
    expect(text.slice(hit!.start, hit!.end)).toBe('A\u200bDR-0003');
  });
});

describe('small families', () => {
  const manual = tableOf(
    passage('E-03 means a blocked fan. E-17 means a wet sensor. B-12 and B-17 are planes.'),
    passage('Order K2-WHT (white) or K2-BLK (black). CO2-TV is one of a kind. Not AB-120-XL, but AB-120-XS.'),
    passage('Firmware 2.4.1 mends the clock. Updated in section 4.2.9.', 'Changes > 2.3.0'),
  );

  it.each<[string, [string, boolean][], string[]]>([
    ['What does E-99 mean?', [['E-99', false]], ['E-03', 'E-17']],
    ['what does e-99 mean', [['E-99', false]], ['E-03', 'E-17']],
    ['What does E-3 mean?', [['E-03', true]], []],
    ['Is there a K2-GRN?', [['K2-GRN', false]], ['K2-BLK', 'K2-WHT']],
    ['Is there a K2-WHT?', [['K2-WHT', true]], []],
    ['Does AB-120-XXL fit?', [['AB-120-XXL', false]], ['AB-120-XL', 'AB-120-XS']],
    ['What does firmware 2.4.2 mend?', [['version 2.4.2', false]], ['version 2.4.1']],
    ['What does Version v2.4.1 mend?', [['version 2.4.1', true]], []],
    [
      'release 2.3.0 and v4.2.9',
      [
        ['version 2.3.0', true],
        ['version 4.2.9', true],
      ],
      [],
    ],
  ])('%s', (query, expected, near) => {
    expect(found(manual, query)).toEqual(expected);
    const missing = expected.find(([, known]) => !known);
    if (missing !== undefined) expect(manual.nearest(missing[0], 2).sort()).toEqual(near);
  });

  it.each([
    'Who flew the B-52?',
    'E99 and E 99',
    'CO2-FM and US-TV',
    'a K2-based kit, K2-x',
    'version 3',
    'firmware 3.1',
    'the address 10.0.0.1',
    'Linux 2.6.1',
    'on 12.05.2024',
  ])('are not in: %s', (query) => {
    expect(manual.extract(query)).toEqual([]);
  });

  it('are none where no word says that a number is a version', () => {
    expect(tableOf(passage('Linux 2.4.1')).extract('firmware 2.4.2')).toEqual([]);
  });
});

describe('a code with one member', () => {
  const sheets = tableOf(
    passage('It hangs inside the box.', 'Barometer BR-1 > Calibration'),
    passage('Wind sensor WS-5,wind speed,10 m,620', 'sensors > sensor | price', 'sensors', 'table'),
    passage('The gauge RG-3 stands on the lawn.'),
    passage('Once a year the gauge RG-3 is emptied.'),
  );

  it.each<[string, [string, boolean][], string[]]>([
    ['How often is the barometer BR-2 calibrated?', [['BR-2', false]], ['BR-1']],
    ['How often is the barometer BR 2 calibrated?', [['BR-2', false]], ['BR-1']],
    ['what does ws-9 cost', [['WS-9', false]], ['WS-5']],
    ['Where is RG-9?', [['RG-9', false]], ['RG-3']],
    [
      'Is BR-1 older than WS 5?',
      [
        ['BR-1', true],
        ['WS-5', true],
      ],
      [],
    ],
    ['Where is RG-003?', [['RG-3', true]], []],
  ])('that the documents use as a name: %s', (query, expected, near) => {
    expect(found(sheets, query)).toEqual(expected);
    const missing = expected.find(([, known]) => !known);
    if (missing !== undefined) expect(sheets.nearest(missing[0], 3)).toEqual(near);
  });

  it.each<[string, ...Parameters<typeof passage>]>([
    ['is mentioned once', 'Insert a new battery of type LB-40.'],
    ['is mentioned once, however often there', 'LB-40 is old. LB-40 was new.'],
    ['stands only in the name of the file', 'Nothing.', '', 'LB-40'],
    ['is written with another mark', 'It runs on LB/40.', 'LB/40 and LB_40'],
    ['has no hyphen', 'It runs on LB40, LB 40.', 'LB40'],
    ['has one letter', 'The F-16 flies.', 'F-16'],
    ['is followed by a year', 'The LB-2019 meeting.', 'LB-2019'],
    ['is in small letters', 'Type lb-40.', 'Battery lb-40'],
  ])('that %s is none', (_, ...given) => {
    expect(tableOf(passage(...given), passage('Another.')).extract('Where is LB-41, F-22, lb/41?')).toEqual(
      [],
    );
  });

  it.each([
    'UTF-8',
    'COVID-19',
    'HIV-1',
    'SHA-256',
    'MPEG-4',
    'F-16',
    'WW2',
    'ISO 9001',
    'Boeing 747',
    'MP3',
  ])('that all the world uses is none, however often it is named: %s', (code) => {
    const table = tableOf(
      passage(`${code} is described here.`, `Notes > ${code}`),
      passage(`It speaks of ${code} again.`),
      passage(`${code},yes`, 'table', 'table', 'table'),
    );
    const next = code.replace(/\d+/, (digits) => String(Number(digits) + 1));
    expect(found(table, `What does it say of ${next}?`)).toEqual([]);
  });
});

describe('zeros in front', () => {
  it.each(['What does ADR-00012 decide?', 'ADR-12', 'adr 012', 'ADR00012'])('are spelling: %s', (query) => {
    expect(found(adrs, query)).toEqual([['ADR-0012', true]]);
  });
});

describe('what is no identifier', () => {
  const prose = tableOf(
    passage('In 1990 COVID-19 was unknown. World War 2 ended in 1945. Apollo 11 landed on 20 July 1969.'),
    passage('UEFA 1992, UEFA 1996 and UEFA 2000. The top 100 songs. BBC 1 and BBC 2. F-16 and F-15 jets.'),
    passage('See section 3 of the Act. Louis XIV was king. Post-1990 and PRE-1914 art; H2O, MP3, B12.'),
  );

  it.each([
    'what happened in 1990',
    'how does COVID-19 spread',
    'Who won World War 3?',
    'Apollo 13 crew',
    'UEFA 2004 winner',
    'top 40 songs',
    'what is on BBC 5',
    'who flew the F-22',
    'what does section 9 say',
    'art of the post-1991 period',
    'MP4 player or CO2 or B6',
    'who was Louis XVI',
    'costs of 12.50 or 3,000 dollars on 2024-01-05',
    'call 555-1234',
    'constructor 12 __proto__ 13 toString-14',
    'article 5 and chapter 7 and ticket 9',
    'page 12',
  ])('%s', (query) => {
    expect(prose.extract(query)).toEqual([]);
  });
});

/** Blocks of an empty corpus with another list of identifiers. */
const withBlock = (bytes: Uint8Array) => {
  const blocks = buildIdentifiers([]);
  return (name: string): Uint8Array => (name === 'identifiers' ? bytes : blocks[name]!);
};

describe('bad input', () => {
  it('reads a megabyte in a blink, whatever it holds', () => {
    for (const piece of [
      '1-',
      'A',
      'ADR-',
      '9',
      'section ',
      '#',
      '§ ',
      '\u200b',
      '- ',
      'I',
      'v1.',
      'A2-',
      'A2-BC-',
      '1.1.1 ',
      '\ud800',
    ]) {
      expect(adrs.extract(piece.repeat(300_000)).length).toBeLessThan(3);
    }
  });

  it('survives lone surrogates and control characters', () => {
    expect(found(adrs, '\ud800ADR-0003\udfff\u0000\u001b[31m')).toEqual([['ADR-0003', true]]);
  });

  it('treats words of the language as words', () => {
    const table = tableOf(passage('CONSTRUCTOR-0001 __proto__-0002 toString-0003'));
    expect(found(table, 'constructor-1')).toEqual([['CONSTRUCTOR-0001', true]]);
    expect(adrs.has('__proto__')).toBe(false);
  });

  it.each([
    ['no header', 'x'],
    ['a short line', 'pragaura.identifiers/1\nADR\t12'],
    ['a count that is none', 'pragaura.identifiers/1\nADR\t12\tADR-12\tmany'],
  ])('refuses a damaged block: %s', (_, text) => {
    const load = (): unknown => loadIdentifiers({ segment: withBlock(new TextEncoder().encode(text)) });
    expect(load).toThrow(PragauraError);
    expect(load).toThrow(/damaged/);
  });

  it('refuses bytes that are no text', () => {
    expect(() => loadIdentifiers({ segment: withBlock(Uint8Array.of(0xff, 0xfe)) })).toThrow(/UTF-8/);
  });

  it('gives the same bytes for the same passages in another order', () => {
    expect(buildIdentifiers([...records].reverse())).toEqual(buildIdentifiers(records));
  });

  it('is empty for an empty corpus', () => {
    expect(tableOf().size).toBe(0);
  });
});
