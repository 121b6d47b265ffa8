import { type Condition, conditionsIn, contentStems, openConditions } from '../../../conversation/index.ts';
import type { Told } from './told.ts';

/** A passage as a rule with conditions, held against what a conversation has said of them. */
export interface Rule {
  conditions: readonly Condition[];
  /** Conditions that neither the query nor any turn speaks of. */
  open: readonly Condition[];
  /** Conditions that no question asked for and no word of the user's own speaks of. */
  unasked: readonly Condition[];
  /** True: one condition is enough; false: all are needed; null: fewer than two, or it does not say. */
  anyOf: boolean | null;
  excludes: boolean;
  /** Joints of its sentences: and, or, if, unless, items of lists. */
  clauses: number;
  /** Whether the replies settle it; null without conditions. */
  settled: boolean | null;
}

const RULE_CHARS = 3_000;
/** Share of a condition's content stems in a question from which on the question is about it. */
const ABOUT = 0.5;

const LIST = '[^\\n.:]{0,60}(?::|\\bapply\\b|\\bapplies\\b)';
const ANY = new RegExp(
  `\\b(?:any|one|either|one or more|at least one) of\\b|\\b(?:either|such as|includ(?:e|es|ing)|if your \\p{L}+|the following|these)${LIST}`,
  'iu',
);
const ALL = new RegExp(
  `\\b(?:all|both|each) of\\b|\\b(?:all|both|each)(?: the following| these)${LIST}|\\b(?:must|need|needs|required|have to|has to)\\b${LIST}`,
  'iu',
);
const EXCLUDES = /\b(?:unless|except|not|cannot|can['’]t|won['’]t|don['’]t|excluded|ineligible)\b/i;
const JOINTS = /\b(?:and|or|if|unless|when|except)\b|^\s*(?:[*•–-]|\(?[0-9a-z]{1,2}[.)])\s/gim;

/** How the passage, the query and what was told stand to each other. Pure; English; linear. */
export function ruleIn(passage: string, query: string, told: Told): Rule {
  const text = passage.slice(0, RULE_CHARS);
  const conditions = namedIn(text);
  const words = [query, ...told.own, ...told.replies.flatMap(({ question, reply }) => [question, reply])];
  const open = openConditions(conditions, words.join('\n'));
  const unspoken = openConditions(conditions, [query, ...told.own].join('\n'));
  const asked = told.replies.map(({ question }) => contentStems(question));
  const unasked = unspoken.filter((one) => !asked.some((question) => about(one, question)));
  const anyOf = joinOf(text, conditions);
  return {
    conditions,
    open,
    unasked,
    anyOf,
    excludes: EXCLUDES.test(text),
    clauses: text.match(JOINTS)?.length ?? 0,
    settled: settledBy(conditions, told, anyOf),
  };
}

/** "If you meet all of the following:" opens a list and is no condition itself. */
function namedIn(text: string): Condition[] {
  return conditionsIn(text).filter(({ end }) => text[end] !== ':');
}

function about({ text }: Condition, question: ReadonlySet<string>): boolean {
  const stems = contentStems(text);
  let held = 0;
  for (const stem of stems) if (question.has(stem)) held += 1;
  return stems.size > 0 && held / stems.size >= ABOUT;
}

/** How a list of conditions is joined: by its lead, else by the word at the end of its items. */
function joinOf(text: string, conditions: readonly Condition[]): boolean | null {
  if (conditions.length < 2) return null;
  const ends = conditions.map(({ text: item }) => /[,;]?\s+(and|or)$/i.exec(item.trim())?.[1]?.toLowerCase());
  if (ends.includes('or')) return true;
  if (ends.includes('and')) return false;
  if (ALL.test(text)) return false;
  return ANY.test(text) ? true : null;
}

/**
 * Whether nothing that could still be asked would change the outcome: of conditions of which one is enough a yes
 * settles it, of those that are all needed a no; any other rule is settled once every condition has its reply.
 */
function settledBy(
  conditions: readonly Condition[],
  { replies }: Told,
  anyOf: boolean | null,
): boolean | null {
  if (conditions.length === 0) return null;
  const questions = replies.map(({ question, yes }) => ({ stems: contentStems(question), yes }));
  const found = conditions.map((one) => questions.find(({ stems }) => about(one, stems))?.yes);
  if (anyOf === true && found.includes(true)) return true;
  if (anyOf === false && found.includes(false)) return true;
  return found.every((yes) => yes === true || yes === false);
}
