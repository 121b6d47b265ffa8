import { incompleteness, resolutionRate } from './measures.ts';
import type { Constraint, InformationState, Known, Missing } from './record.ts';
import { recorded } from './words.ts';

/** What the user replied about one variable of the state. */
export interface Reply {
  variable: Pick<Missing, 'kind' | 'text'>;
  value: string;
}

/**
 * S(t+1) = S(t) with the reply taken in, Eq. 20: the variable moves from missing to known, and the reply becomes a
 * constraint. rho grows strictly when something was resolved. A reply to what was never asked resolves nothing
 * (`resolved` false): the value is known all the same, because the user said it. A second reply about the same
 * variable replaces the first. The measures over the evidence are left as they are: it is the query routed again that
 * has new ones.
 */
export function takeReply(
  before: InformationState,
  { variable, value }: Reply,
): { state: InformationState; resolved: boolean } {
  const text = recorded(variable.text);
  const told = recorded(value);
  const missing = before.missing.filter((one) => one.kind !== variable.kind || one.text !== text);
  const resolved = missing.length < before.missing.length;
  const mark = `${text}: `;
  const earlier = before.constraints.find((one) => one.kind === 'resolved' && one.text.startsWith(mark));
  const withdrawn = earlier?.text.slice(mark.length).toLowerCase();
  const known = before.known.filter(
    (one) =>
      one.text.toLowerCase() !== told.toLowerCase() &&
      !(one.from === 'answer' && one.text.toLowerCase() === withdrawn),
  );
  const reply: Known = { text: told, kind: 'attribute', from: 'answer', grounded: true };
  const constraint: Constraint = { kind: 'resolved', text: recorded(`${mark}${told}`) };
  const constraints = [...before.constraints.filter((one) => one !== earlier), constraint];
  const state = counted({ ...before, known: [...known, reply], missing, constraints, turn: before.turn + 1 });
  return { state, resolved };
}

/**
 * The state of a query that is routed again, with what earlier replies settled carried over from `before`: known
 * values and resolved constraints stay, and what was resolved is not missing any more.
 */
export function carryOver(before: InformationState, now: InformationState): InformationState {
  const told = before.known.filter(({ from }) => from === 'answer');
  const settled = before.constraints.filter(({ kind }) => kind === 'resolved');
  const values = new Set(told.map(({ text }) => text.toLowerCase()));
  const known = [...now.known.filter(({ text }) => !values.has(text.toLowerCase())), ...told];
  const missing = now.missing.filter(({ text }) => !settled.some((one) => one.text.startsWith(`${text}: `)));
  return counted({
    ...now,
    known,
    missing,
    constraints: [...now.constraints.filter(({ kind }) => kind !== 'resolved'), ...settled],
    turn: Math.max(before.turn, now.turn),
  });
}

function counted(state: InformationState): InformationState {
  const known = state.known.filter(({ grounded }) => grounded).length;
  return {
    ...state,
    incompleteness: incompleteness(known, state.missing.length),
    resolutionRate: resolutionRate(known, state.missing.length),
  };
}
