/** Which questions are proposed, and in which order: of all kinds, and of as many documents as there are. Pure. */

import { createHash } from 'node:crypto';
import { type Random, randomInteger, sample, shuffled } from '../../common/index.ts';
import type { IdentifierTable } from '../../router/index.ts';
import { normaliseAnswer } from '../metrics/reading.ts';
import { absentByRemoval, absentFrom, absentIdentifier } from './absent.ts';
import { type Asking, isCodeWithNumber, KINDS, type Kind, type Proposal, questionsOf } from './questions.ts';

/** A proposal under the id that its label gets: the same for the same question in any run. */
export interface Proposed extends Proposal {
  id: string;
  /** Of an index of removed documents; else of the one that is asked. */
  removed: boolean;
}

/** How many of a hundred are wanted of each kind, as far as the documents give them. */
const WANTED: Readonly<Record<Kind, number>> = {
  definition: 12,
  term: 22,
  procedure: 20,
  quantity: 10,
  verdict: 6,
  reason: 6,
  place: 3,
  heading: 4,
  comparison: 3,
  identifier: 3,
  absent: 16,
};

/** Passages that are looked at, and proposals of a kind that are kept, at most, for each label that is wanted. */
const LOOKED = 60;
const KEPT = 4;
const LEAST_LOOKED = 2_000;

export interface ProposeOptions {
  /** Labels that are wanted in all. */
  n: number;
  random: Random;
  identifiers: IdentifierTable;
  /** An index of documents of which some were left out of the one that is asked. */
  removed?: Asking | undefined;
}

/**
 * Proposals in the order in which they are put: several for each label that is wanted, so that some may be skipped. The
 * same index, `n` and chance give the same ones.
 */
export function propose(index: Asking, { n, random, identifiers, removed }: ProposeOptions): Proposed[] {
  const kinds = new Map<Kind, Proposed[]>(KINDS.map((kind) => [kind, []]));
  const seen = new Set<string>();
  const most = n * KEPT;
  const add = (proposals: readonly Proposal[], from: Asking) => {
    for (const proposal of proposals) {
      const asked = normaliseAnswer(proposal.label.query);
      const kept = kinds.get(proposal.kind)!;
      if (seen.has(asked) || kept.length >= most) continue;
      seen.add(asked);
      kept.push({ ...proposal, id: idOf(proposal.label.query), removed: from === removed });
    }
  };
  const order = spread(index, random);
  if (removed !== undefined) {
    for (const ordinal of spread(removed, random).slice(0, LEAST_LOOKED)) {
      if (kinds.get('absent')!.length >= n) break;
      add(absentByRemoval(index, removed, ordinal), removed);
    }
  }
  let absents = 0;
  for (const [place, ordinal] of order.slice(0, Math.max(LEAST_LOOKED, n * LOOKED)).entries()) {
    add(questionsOf(index, ordinal), index);
    add(identified(index, identifiers, ordinal), index);
    if (absents >= n) continue;
    const other =
      order.length < 2 ? null : order[(place + 1 + randomInteger(random, order.length - 1)) % order.length]!;
    const found = [
      ...absentIdentifier(index, identifiers, ordinal),
      ...absentFrom(index, ordinal, other, place),
    ];
    absents += found.length;
    add(found, index);
  }
  return ordered(kinds, index, removed);
}

function idOf(query: string): string {
  return `asked-${createHash('sha256').update(query).digest('hex').slice(0, 12)}`;
}

/** What documents are about whose titles have an identifier. */
function identified(index: Asking, identifiers: IdentifierTable, ordinal: number): Proposal[] {
  const { docId, title } = index.passages[ordinal]!;
  const [found] = identifiers.extract(title.split(' > ')[0]!.slice(0, 200));
  if (found === undefined || !isCodeWithNumber(found.id)) return [];
  return [
    {
      kind: 'identifier',
      label: { query: `What is ${found.id} about?`, passages: [docId] },
      answer: title.split(' > ')[0]!,
      ordinal,
    },
  ];
}

/** All passages: one of each document, in an order that chance gives, then the second of each, and so on. */
function spread({ documents }: Asking, random: Random): number[] {
  const queues = inOrder(documents, random).map(({ first, passages }) =>
    inOrder(
      Array.from({ length: passages }, (_, i) => first + i),
      random,
    ),
  );
  const longest = queues.reduce((most, queue) => Math.max(most, queue.length), 0);
  return Array.from({ length: longest }, (_, round) => queues.flatMap((queue) => queue[round] ?? [])).flat();
}

/** In random order; what `sample` draws is kept, so that a seed still proposes what it did. */
function inOrder<T>(items: readonly T[], random: Random): T[] {
  return shuffled(sample(items, items.length, random), random);
}

/** The kind that is furthest behind its share comes next, and of it the first of the document that was asked least. */
function ordered(kinds: Map<Kind, Proposed[]>, index: Asking, removed: Asking | undefined): Proposed[] {
  const result: Proposed[] = [];
  const taken = new Map<Kind, number>();
  const asked = new Map<string, number>();
  const documentOf = ({ ordinal, removed: out }: Proposed) =>
    (out ? removed! : index).passages[ordinal]!.docId;
  for (;;) {
    const open = KINDS.filter((kind) => kinds.get(kind)!.length > 0);
    if (open.length === 0) return result;
    const behind = (kind: Kind) => ((taken.get(kind) ?? 0) + 0.5) / WANTED[kind];
    const kind = open.reduce((best, each) => (behind(each) < behind(best) ? each : best));
    const queue = kinds.get(kind)!;
    let next = 0;
    const often = (each: Proposed) => asked.get(documentOf(each)) ?? 0;
    for (const [i, each] of queue.entries()) if (often(each) < often(queue[next]!)) next = i;
    const [proposal] = queue.splice(next, 1) as [Proposed];
    result.push(proposal);
    taken.set(kind, (taken.get(kind) ?? 0) + 1);
    asked.set(documentOf(proposal), (asked.get(documentOf(proposal)) ?? 0) + 1);
  }
}
