/** Of which kind the thing is that a question asks for, by rules on its words, and whether an answer is of it. Pure; English. */
import type { Policy } from './policies.ts';

export type EntityType = 'name' | 'number' | 'time';

const ASKED: readonly (readonly [EntityType, RegExp])[] = [
  [
    'number',
    /\bhow (?:many|much|old|tall|long|far|big|large|high|deep|often)\b|\bwhat (?:percentage|number|amount)\b/i,
  ],
  ['time', /\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b/i],
  ['name', /\b(?:who|whom|whose|where)\b|\b(?:what|which) (?:city|country|person|company|state|town)\b/i],
];

const NUMBER_WORDS =
  /\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|thousand|million|billion|half|once|twice|none)\b/i;
const TIME_WORDS =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|spring|summer|autumn|winter|morning|evening|night|noon|midnight|today|tomorrow|yesterday|before|after|during|until)\b/i;

/** Null where the words do not say. */
export function typeAsked(query: string): EntityType | null {
  return ASKED.find(([, words]) => words.test(query))?.[0] ?? null;
}

export function isOfType(text: string, type: EntityType): boolean {
  switch (type) {
    case 'number':
      return /\d/.test(text) || NUMBER_WORDS.test(text);
    case 'time':
      return /\d/.test(text) || TIME_WORDS.test(text);
    case 'name':
      return /\p{Lu}/u.test(text);
  }
}

/** As the policy, but what it would answer with a text of another kind than is asked for is not answered. */
export function ofAskedType(policy: Policy): Policy {
  return (facts, query) => {
    const said = policy(facts, query);
    const type = said.action === 'ANSWER' && said.text !== null ? typeAsked(query.query) : null;
    return type === null || isOfType(said.text!, type) ? said : { ...said, action: 'ABSTAIN' };
  };
}
