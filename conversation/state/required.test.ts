import { describe, expect, it } from 'vitest';
import { informationState, openTagger, type Requirement, type StateInput } from './index.ts';
import { found } from './testing/found.ts';

const POST: Requirement = {
  variable: 'destination country',
  of: 'Falcon Post',
  asked: ['What does Falcon Post charge for a parcel?', 'Falcon Post prices'],
};
const PENSION: Requirement[] = ['employment type', 'years of service'].map((variable) => ({
  variable,
  of: 'Heron Pension',
  asked: ['Am I eligible for the Heron Pension?'],
}));

function required(query: string, given: Partial<StateInput> = {}): string[] {
  const { missing } = informationState(found(query, [], { required: [POST], ...given }), openTagger());
  const pieces = missing.filter(({ kind }) => kind === 'required');
  expect(pieces.every(({ recoverable }) => recoverable)).toBe(true);
  return pieces.map(({ text }) => text);
}

const user = (text: string) => ({ role: 'user' as const, text });

describe('a piece that labelled queries lacked', () => {
  it.each([
    'What does Falcon Post charge for a parcel?',
    'How much does Falcon Post charge for parcels?',
    'what are the prices of falcon post',
    "What are Falcon Post's prices?",
  ])('is missing in a query that asks the same: %s', (query) => {
    expect(required(query)).toEqual(['destination country']);
  });

  it.each(['Who founded Falcon Post?', 'Falcon Post', 'Is there a parcel of Falcon Post?'])(
    'is not missing in one that asks something else of the same name: %s',
    (query) => {
      expect(required(query)).toEqual([]);
    },
  );

  it.each([
    'What does Falcon Post charge for a parcel to Norway?',
    'What does Falcon Post charge for an international parcel?',
    'What does Falcon Post charge for a parcel (zone 2)?',
    'I live abroad. What does Falcon Post charge for a parcel?',
    `What does Falcon Post charge for a parcel? ${'So. '.repeat(120)} It goes to Norway.`,
  ])('is not missing where the query may supply it: %s', (query) => {
    expect(required(query)).toEqual([]);
  });

  it('is not missing where an earlier turn may supply it', () => {
    const query = 'What does Falcon Post charge for a parcel?';
    const told = (...turns: string[]) => required(query, { history: turns.map(user) });
    expect(told('I am going to Norway.')).toEqual([]);
    expect(told('Does it go to Norway?')).toEqual([]);
    expect(told('I am abroad')).toEqual([]);
    expect(told('Who leads the platform team?', 'Thanks!')).toEqual(['destination country']);
  });

  it('is missing on its own when another one was replied to, unless that reply tells it too', () => {
    const replied = (value: string) =>
      required(`Am I eligible for the Heron Pension (${value})?`, {
        required: PENSION.slice(1),
        replies: [{ variable: 'employment type', value }],
        history: [user('Am I eligible for the Heron Pension?')],
      });
    expect(required('Am I eligible for the Heron Pension?', { required: PENSION })).toEqual([
      'employment type',
      'years of service',
    ]);
    expect(replied('full-time')).toEqual(['years of service']);
    expect(replied('full-time for 3 years')).toEqual([]);
  });

  it('is nothing of a query about the name alone unless that was labelled', () => {
    const bare: Requirement = { ...POST, asked: ['Tell me about Falcon Post'] };
    expect(required('Falcon Post?', { required: [bare] })).toEqual(['destination country']);
    expect(required('Who founded Falcon Post?', { required: [bare] })).toEqual([]);
  });

  it('is missing once, and at most four are', () => {
    expect(required('Falcon Post prices', { required: [POST, { ...POST }] })).toHaveLength(1);
    const many = Array.from({ length: 9 }, (_, i) => ({ ...POST, variable: `piece ${i}` }));
    expect(required('Falcon Post prices', { required: many })).toHaveLength(4);
  });

  it('is nothing without a graph, whatever the query', () => {
    const query = 'What does Falcon Post charge for a parcel?';
    const without = informationState(found(query), openTagger());
    expect(informationState(found(query, [], { required: [] }), openTagger())).toEqual(without);
  });
});
