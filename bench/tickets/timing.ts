/** One document of many is changed: how long until it is in the index, looked at, and how long back. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { seededRandom } from '../../common/index.ts';
import { buildIndex, generationsOf, openIndex, rollBack } from '../../corpus/index.ts';
import type { Canary, Knowledge } from '../../knowledge/index.ts';
import { buildGraph } from '../../router/graph/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { loadGlosses } from '../datasets/wordnet.ts';
import { openTickets, textOf, who } from './world.ts';

export interface TimingReport {
  passages: number;
  documents: number;
  /** Questions that the index and the new generation are asked before it becomes the index. */
  canaries: number;
  /** Milliseconds, each from the call to the end, models loaded. */
  ms: { triage: number; apply: number; applyWithCanaries: number; rollback: number };
  /** The same with canaries and a graph of so many statements; absent where it was not measured. */
  graph?: { statements: number; apply: number };
}

const DOCUMENT = 'docs/deadline.md';
const CANARIES = 10;

/**
 * Over the glosses of WordNet, each a document and a passage. Their vectors are drawn by chance, with their texts as the seed:
 * how long a change takes does not depend on where they point.
 */
export async function timeTicket(passages: number, scorers: Scorers): Promise<TimingReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-timing-'));
  try {
    const glosses = (await loadGlosses()).slice(0, passages - 1);
    const records = glosses.map(({ text }, i) => JSON.stringify({ _id: `g${i}`, title: '', text }));
    await mkdir(path.join(folder, 'docs'));
    await writeFile(path.join(folder, 'docs', 'glosses.jsonl'), `${records.join('\n')}\n`);
    await writeFile(path.join(folder, ...DOCUMENT.split('/')), textOf(DOCUMENT, 'as it was'));
    const index = path.join(folder, 'index');
    const [probe] = await scorers.embed(['dimension']);
    const dimension = probe!.length;
    const embed = async (texts: readonly string[]) => texts.map((text) => vectorOf(text, dimension));
    const { counts } = await buildIndex([path.join(folder, 'docs')], {
      out: index,
      embedder: { ...scorers.info.models.embed!, dimension },
      embed,
      countTokens: (text) => scorers.countTokens(text),
    });
    const { knowledge, close } = await openTickets(index, path.join(folder, 'audit.log'), scorers);
    try {
      const plain = await changeOne(knowledge, 'June 7');
      const canaries: Canary[] = glosses.slice(0, CANARIES).map(({ text }, i) => ({
        id: `c${i}`,
        query: `What is said of ${text.split(' ').slice(0, 8).join(' ')}?`,
      }));
      await knowledge.watch(who('boss'), canaries);
      const watched = await changeOne(knowledge, 'July 1');
      const began = performance.now();
      rollBack(index, generationsOf(index)[1]!.generation);
      const rollback = performance.now() - began;
      const settings = { maxEdges: 200_000, minSem: 0, labelled: [] };
      const graph = await buildGraph(await openIndex(index), { ...settings, embed });
      const { apply } = await changeOne(knowledge, 'August 9');
      return {
        passages: counts.passages,
        documents: counts.documents,
        canaries: canaries.length,
        ms: { triage: plain.triage, apply: plain.apply, applyWithCanaries: watched.apply, rollback },
        graph: { statements: graph.edges, apply },
      };
    } finally {
      await close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function changeOne(knowledge: Knowledge, value: string): Promise<{ triage: number; apply: number }> {
  const bytes = Buffer.from(textOf(DOCUMENT, value));
  const { id } = await knowledge.propose(who('ann'), {
    claim: `What ${DOCUMENT} says is ${value}.`,
    put: [{ id: DOCUMENT, bytes }],
  });
  await knowledge.submit(who('ann'), id);
  const began = performance.now();
  await knowledge.triage(who('bob'), id);
  const triaged = performance.now();
  await knowledge.approve(who('bob'), id, '');
  await knowledge.approve(who('Ann'), id, '');
  const approved = performance.now();
  await knowledge.apply(who('reg'), id);
  return { triage: triaged - began, apply: performance.now() - approved };
}

function vectorOf(text: string, dimension: number): Float32Array {
  const random = seededRandom(createHash('sha256').update(text).digest().readUInt32LE());
  const vector = Float32Array.from({ length: dimension }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
