/** The decision about a query that asks several questions, put together from one about each. Pure. */

import { aboutParts } from '../../conversation/index.ts';
import type { Abstention, Clarification, Decision, Evidence, Part } from '../contracts.ts';

/** A question as it was routed, with all that was decided about it. */
export interface Decided {
  question: string;
  decision: Decision;
}

type Answer = NonNullable<Decision['answer']>;

/** Passages that are shown beyond those that answers are quoted from. */
const SHOWN = 5;

/**
 * One decision for all: ANSWER where every part is, else ASK with the first question back, else ABSTAIN with the first
 * silence; both say which parts are open. A whole without an answer has none of its own, its parts keep theirs. Act,
 * state, layers, graph, plan and guarantee are those of the first open part, else of the first; U, tau and signals those
 * of the part with the largest U. `unread`: what was not looked at, as a part that is open. The evidence holds every
 * passage that an answer is quoted from, then the parts' best in turn.
 */
export function wholeOf(decided: readonly Decided[], unread: Part | null): Decision {
  const parts = [...decided.map(partOf), ...(unread === null ? [] : [unread])];
  const decisions = decided.map(({ decision }) => decision);
  const lead = leading(decisions);
  const { U, tau, signals } = leastSure(decisions);
  const { selfContained: _, routed: __, answer: ___, clarification: ____, abstention: _____, ...rest } = lead;
  const { receipt, timings } = decisions.at(-1)!;
  const answers = parts.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  return {
    ...rest,
    ...selfContainedOf(decided),
    ...(decisions.some(({ routed }) => routed !== undefined) && {
      routed: decided.map(({ question }) => question).join(' '),
    }),
    ...said(parts),
    parts,
    evidence: evidenceOf(decisions, answers),
    caveats: [...new Set(decisions.flatMap(({ caveats }) => caveats))],
    defaults: decisions.flatMap(({ defaults }) => defaults),
    votes: decisions.flatMap(({ votes }) => votes),
    signals,
    U,
    tau,
    // The last one saw all that was spent.
    receipt,
    timings,
  };
}

/** The decision whose state and layers stand for the whole: the first that is open, else the first. */
export function leading(decisions: readonly Decision[]): Decision {
  return decisions.find(({ action }) => action !== 'ANSWER') ?? decisions[0]!;
}

function leastSure(decisions: readonly Decision[]): Decision {
  return decisions.reduce((least, each) => ((each.U ?? -1) > (least.U ?? -1) ? each : least));
}

function partOf({ question, decision }: Decided): Part {
  const { act, action, answer, clarification, abstention, U, tau } = decision;
  return {
    query: question,
    act,
    action,
    ...(answer && { answer }),
    ...(clarification && { clarification }),
    ...(abstention && { abstention }),
    U,
    tau,
  };
}

/** Action and words of the whole. */
function said(parts: readonly Part[]): Pick<Decision, 'action' | 'answer' | 'clarification' | 'abstention'> {
  const asking = parts.find(({ clarification }) => clarification !== undefined);
  if (asking !== undefined) {
    return { action: 'ASK', clarification: naming([asking.query], asking.clarification!) };
  }
  const open = parts.filter(({ abstention }) => abstention !== undefined);
  if (open.length > 0) {
    return {
      action: 'ABSTAIN',
      abstention: naming(
        open.map(({ query }) => query),
        open[0]!.abstention!,
      ),
    };
  }
  return { action: 'ANSWER', answer: joined(parts) };
}

function naming<T extends Clarification | Abstention>(open: readonly string[], refusal: T): T {
  return { ...refusal, message: aboutParts(open, refusal.message) };
}

/** All answers under their questions. It has the form of its answers where they have one, else it is a list of them. */
function joined(parts: readonly Part[]): Answer {
  const answers = parts.map(({ answer }) => answer!);
  const [first] = answers;
  const supports = answers.flatMap(({ support }) => support ?? []);
  const cut = parts.flatMap(({ query, answer }) => (answer!.cut === null ? [] : [`${query} ${answer!.cut}`]));
  return {
    form: answers.every(({ form }) => form === first!.form) ? first!.form : 'list',
    text: parts.map(({ query, answer }) => `${query}\n${answer!.text}`).join('\n\n'),
    quotes: answers.flatMap(({ quotes }) => quotes),
    verdict: null,
    band: answers.some(({ band }) => band === 'LOW') ? 'LOW' : 'HIGH',
    claim: null,
    ...(supports.length > 0 && { support: Math.min(...supports) }),
    cut: cut.length === 0 ? null : cut.join(' '),
  };
}

function evidenceOf(decisions: readonly Decision[], answers: readonly Answer[]): Evidence[] {
  const all = decisions.flatMap(({ evidence }) => evidence);
  const quoted = answers.flatMap(({ quotes }) => quotes.map(({ passageId }) => passageId));
  const most = Math.max(...decisions.map(({ evidence }) => evidence.length));
  const inTurn = Array.from({ length: most }, (_, rank) =>
    decisions.flatMap(({ evidence }) => evidence.slice(rank, rank + 1)),
  ).flat();
  const found = new Map<string, Evidence>();
  const shown = new Set(quoted).size;
  for (const passage of [
    ...quoted.flatMap((id) => all.filter(({ passageId }) => passageId === id)),
    ...inTurn,
  ]) {
    if (found.size >= Math.max(SHOWN, shown)) break;
    if (!found.has(passage.passageId)) found.set(passage.passageId, passage);
  }
  return [...found.values()];
}

/** How the questions read once history and earlier parts are put into them. */
function selfContainedOf(decided: readonly Decided[]): Pick<Decision, 'selfContained'> {
  const rewrites = decided.flatMap(({ decision }) => decision.selfContained ?? []);
  if (rewrites.length === 0) return {};
  return {
    selfContained: {
      text: decided.map(({ question }) => question).join(' '),
      reasons: rewrites.flatMap(({ reasons }) => reasons),
      open: rewrites.flatMap(({ open }) => open),
    },
  };
}
