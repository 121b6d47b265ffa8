/** Identifiers that exist and identifiers that do not, through `precheck` and `decide` without a model. */
import { expect, it } from 'vitest';
import { buildIdentifiers, loadIdentifiers } from '../../corpus/index.ts';
import type { Evidence } from '../contracts.ts';
import { decisionRecords, questionsAbout } from '../layers/index.ts';
import { decide, precheck } from './index.ts';
import { evidence, type Given, input, provisional, verdict } from './testing/cases.ts';

const TRIES = 500;

const records = Object.entries(decisionRecords()).map(([source, text]) => {
  const title = /^# (.*)$/m.exec(text)![1]!;
  return evidence({
    passageId: `${source}#0`,
    docId: source,
    source,
    title,
    text,
    start: 0,
    end: text.length,
  });
});
const segments = buildIdentifiers(records);
const table = loadIdentifiers({ segment: (name) => segments[name]! });
const identifiersIn = (text: string): string[] => table.extract(text).map(({ id }) => id);

/** A query that finds these passages, before the models have run. */
function asked(query: string, found: readonly Evidence[]): Given {
  const identifiers = identifiersIn(query).map((id) => ({
    id,
    known: table.has(id),
    near: table.has(id) ? [] : table.nearest(id, 3),
  }));
  const coverage = { terms: [], unknown: [], known: 1 };
  return { query, identifiers, identifiersIn, evidence: found, coverage };
}

/** The same once a reader has taken the first line of one passage for the answer and everything speaks for it. */
function read(query: string, home: Evidence, found: readonly Evidence[] = [home]): string {
  const { answers, report } = input();
  const text = home.text.split('\n')[0]!;
  const span = { text, start: 0, end: text.length, score: 5 };
  const { passageId, docId } = home;
  const voice = { key: passageId, docId, source: 0, span, spanLead: 2, score: 0.9 };
  const clusters = [{ ...answers.clusters[0]!, text, claim: text, voices: [voice] }];
  return verdict(
    decide(input({ ...asked(query, found), answers: { ...answers, clusters }, report }), provisional),
  );
}

it(`answers none of ${TRIES} questions about records that do not exist, whatever was read`, () => {
  const outcomes = questionsAbout(false, TRIES).map(({ query }, i) => {
    const home = records[i % records.length]!;
    return [verdict(precheck(input(asked(query, [home])), provisional)), read(query, home)].join(', ');
  });
  expect(new Set(outcomes)).toEqual(new Set(['ASK UNKNOWN_IDENTIFIER, ASK UNKNOWN_IDENTIFIER']));
});

it(`stops none of ${TRIES} questions about records that exist, and answers from that record only`, () => {
  const outcomes = questionsAbout(true, TRIES).map(({ query, record }) => {
    const own = records.find(({ source }) => source === `${record}.md`)!;
    const other = records.find(({ source }) => source !== own.source)!;
    const found = [other, own];
    const early = verdict(precheck(input(asked(query, found)), provisional));
    return [early, read(query, own, found), read(query, other, found)].join(', ');
  });
  expect(new Set(outcomes)).toEqual(new Set(['OPEN, ANSWER, ABSTAIN IDENTIFIER_NOT_IN_EVIDENCE']));
});

it('stops before the models where only other records were found', () => {
  const query = 'What does ADR-0001 decide?';
  const [first, ...others] = records;
  expect(verdict(precheck(input(asked(query, others)), provisional))).toBe(
    'ABSTAIN IDENTIFIER_NOT_IN_EVIDENCE',
  );
  expect(verdict(precheck(input(asked(query, [...others, first!])), provisional))).toBe('OPEN');
});
