import { oneLine } from '../../common/index.ts';
import { incompleteness, resolutionRate } from './measures.ts';
import type { Constraint, InformationState, Known } from './record.ts';

/** What the user replied to a question of ours about one variable of the state. */
export interface Reply {
  variable: string;
  value: string;
}

/**
 * S(t+1) = S(t) with the reply taken in, Eq. 20, for a query that is routed again with the reply in it: what was asked
 * for is not missing any more, the reply is known and a constraint, and a turn is counted. A second reply about the
 * same variable replaces the first. The measures over the evidence are those of the query with the reply in it.
 */
export function takeReply(before: InformationState, { variable, value }: Reply): InformationState {
  const text = oneLine(variable);
  const told = oneLine(value);
  const missing = before.missing.filter((one) => one.text.toLowerCase() !== text.toLowerCase());
  const mark = `${text}: `;
  const earlier = before.constraints.find((one) => one.kind === 'resolved' && one.text.startsWith(mark));
  const withdrawn = earlier?.text.slice(mark.length).toLowerCase();
  const known = before.known.filter(
    (one) =>
      one.text.toLowerCase() !== told.toLowerCase() &&
      !(one.from === 'answer' && one.text.toLowerCase() === withdrawn),
  );
  const reply: Known = { text: told, kind: 'attribute', from: 'answer', grounded: true };
  const constraint: Constraint = { kind: 'resolved', text: oneLine(`${mark}${told}`) };
  const constraints = [...before.constraints.filter((one) => one !== earlier), constraint];
  return counted({ ...before, known: [...known, reply], missing, constraints, turn: before.turn + 1 });
}

function counted(state: InformationState): InformationState {
  const known = state.known.filter(({ grounded }) => grounded).length;
  return {
    ...state,
    incompleteness: incompleteness(known, state.missing.length),
    resolutionRate: resolutionRate(known, state.missing.length),
  };
}
