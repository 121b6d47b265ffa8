import { expect, it } from 'vitest';
import { buildIdentifiers, loadIdentifiers } from '../corpus/identifiers/index.ts';
import { precheck } from './index.ts';
import { evidence, input, provisional, verdict } from './testing/cases.ts';

const pad = (n: number): string => String(n).padStart(4, '0');

/** Forty decision records, as in the identifiers' own tests, now through the gate. */
const records = Array.from({ length: 40 }, (_, i) =>
  evidence({ passageId: `adr-${i + 1}`, docId: `adr-${pad(i + 1)}`, title: `ADR-${pad(i + 1)} Option` }),
);
const segments = buildIdentifiers(records);
const table = loadIdentifiers({ segment: (name) => segments[name]! });

const forms = [
  (n: number) => `What does ADR-${pad(n)} decide?`,
  (n: number) => `what does adr ${n} decide`,
  (n: number) => `Who approved ADR${pad(n)}?`,
  (n: number) => `Is ADR\u2011${n} still valid in section 3 since 2019?`,
  (n: number) => `Why was adr_${pad(n)} superseded after COVID-19?`,
];

function gate(query: string): string {
  const identifiers = table
    .extract(query)
    .map(({ id }) => ({ id, known: table.has(id), near: table.nearest(id, 3) }));
  return verdict(precheck(input({ query, identifiers }), provisional));
}

it('answers none of 500 queries about records that do not exist', () => {
  const closed = Array.from({ length: 500 }, (_, i) => gate(forms[i % forms.length]!(41 + i * 19)));
  expect(new Set(closed)).toEqual(new Set(['ASK UNKNOWN_IDENTIFIER']));
});

it('refuses none of 500 queries about records that exist', () => {
  const open = Array.from({ length: 500 }, (_, i) => gate(forms[i % forms.length]!(1 + (i % 40))));
  expect(new Set(open)).toEqual(new Set(['OPEN']));
});
