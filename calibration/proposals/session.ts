/** A person goes through proposals, one line a decision. No clock and no terminal of its own: what is shown is given out. */
import { contradictionOf, documentOf } from '../labels/examples.ts';
import { Labelled } from '../types.ts';
import type { Proposed } from './propose.ts';

/** Where decisions are kept, after each one. */
export interface Kept {
  /** Labels in the file, of earlier runs too. */
  readonly count: number;
  has(id: string): boolean;
  add(label: Labelled): Promise<void>;
  skip(id: string): Promise<void>;
  /** As if it had never been decided. */
  undo(id: string): Promise<void>;
}

export interface Dialogue {
  /** Shows a proposal as it stands now; `place`: labels in the file, and how many are wanted. */
  show(proposal: Proposed, label: Omit<Labelled, 'id'>, place: { done: number; n: number }): void;
  say(line: string): void;
  /** The next line, `given` to be edited where that can be done; undefined: nothing more comes. */
  ask(prompt: string, given?: string): Promise<string | undefined>;
}

const KEYS = '[Enter] right  [e]dit question  [a]nswer  [u]nanswerable  [s]kip  [b]ack  [q]uit > ';
const HOW =
  'The answer: its words (several: parted by |), /an expression/, steps parted by >, or yes, no, depends: ';

/** Until `n` labels are kept, the proposals are through, `q`, or nothing more comes: then false. */
export async function goThrough(
  proposals: readonly Proposed[],
  n: number,
  kept: Kept,
  dialogue: Dialogue,
): Promise<boolean> {
  const decided: Proposed[] = [];
  const open = proposals.filter(({ id }) => !kept.has(id));
  for (let at = 0; at < open.length && kept.count < n; ) {
    const proposal = open[at]!;
    const said = await decide(proposal, { done: kept.count, n }, dialogue);
    if (said === 'quit') return true;
    if (said === 'ended') return false;
    if (said === 'back') {
      const before = decided.pop();
      if (before === undefined) {
        dialogue.say('There is nothing before this.');
        continue;
      }
      await kept.undo(before.id);
      at = open.indexOf(before);
      continue;
    }
    if (said === 'skip') await kept.skip(proposal.id);
    else await kept.add({ id: proposal.id, ...said });
    decided.push(proposal);
    at += 1;
  }
  return true;
}

type Reply = Omit<Labelled, 'id'> | 'skip' | 'back' | 'quit' | 'ended';

async function decide(
  proposal: Proposed,
  place: { done: number; n: number },
  dialogue: Dialogue,
): Promise<Reply> {
  let label = proposal.label;
  dialogue.show(proposal, label, place);
  for (;;) {
    const line = await dialogue.ask(KEYS);
    if (line === undefined) return 'ended';
    switch (line.trim().toLowerCase()) {
      case '':
      case 'y':
        return label;
      case 's':
        return 'skip';
      case 'b':
        return 'back';
      case 'q':
        return 'quit';
      case 'u':
        return unanswerable(label);
      case 'e': {
        const query = await dialogue.ask('The question: ', label.query);
        if (query === undefined) return 'ended';
        if (query.trim() !== '') label = { ...label, query: query.trim() };
        break;
      }
      case 'a': {
        const answer = await dialogue.ask(HOW);
        if (answer === undefined) return 'ended';
        const changed = answer.trim() === '' ? label : answeredWith(label, answer);
        const problem = problemOf({ id: proposal.id, ...changed });
        if (problem === null) label = changed;
        else dialogue.say(problem);
        break;
      }
      default:
        dialogue.say(`"${line.trim().slice(0, 20)}" is none of these.`);
        continue;
    }
    dialogue.show(proposal, label, place);
  }
}

/** The question alone, with the document that it is about. */
function unanswerable({ query, group, passages }: Omit<Labelled, 'id'>): Omit<Labelled, 'id'> {
  return { query, answerable: false, group: group ?? documentOf(passages![0]!) };
}

/** A label with the answer that a person types, in the place of any that it had. */
export function answeredWith(
  { answers: _, patterns: __, steps: ___, verdict: ____, answerable: _____, ...rest }: Omit<Labelled, 'id'>,
  typed: string,
): Omit<Labelled, 'id'> {
  const text = typed.trim();
  if (/^(?:yes|no|depends)$/i.test(text)) {
    return { ...rest, verdict: text.toLowerCase() as NonNullable<Labelled['verdict']> };
  }
  if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
    return { ...rest, patterns: [text.slice(1, -1)] };
  }
  const parts = (mark: string) =>
    text
      .split(mark)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  return text.includes(' > ') ? { ...rest, steps: parts(' > ') } : { ...rest, answers: parts('|') };
}

function problemOf(label: Labelled): string | null {
  const checked = Labelled.safeParse(label);
  return checked.success ? contradictionOf(checked.data) : checked.error.issues[0]!.message;
}
