/**
 * The fourth paper's term for what governance risks: L = e1 Pr(unauthorised change) + e2 Pr(unreviewed contradiction) +
 * e3 Pr(audit gap), each by faults that are put in, with upper confidence bounds.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PragauraError, seededRandom } from '../../common/index.ts';
import { openIndex, sentences } from '../../corpus/index.ts';
import { rawLines } from '../../governance/index.ts';
import { indexDocuments } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { upperShare } from '../measure/table.ts';
import { indexOf, openTickets, PEOPLE, textOf, who } from '../tickets/world.ts';

interface Faults {
  /** Put in, and those that did harm. */
  tried: number;
  harmful: number;
}

export interface RiskReport {
  /** Steps that the policy does not permit, each tried by everybody whom it does not permit. */
  unauthorised: Faults;
  /** New texts that give another number than a sentence of another document; harmful where reviewers were not shown that document. */
  contradictions: Faults;
  /** Events that could not be written; harmful where something happened all the same that the log does not have. */
  audit: Faults;
}

const BOSS = who('boss');
/** How often a ticket goes all the way while others try theirs, and while the log fails. */
const TIMES = { tried: 10, failing: 200 };
const SHARE_FAILING = 0.15;

/** Throws what tickets, indexing and models throw. */
export async function measureRisk(
  houses: string,
  scorers: Scorers,
  times: typeof TIMES = TIMES,
): Promise<RiskReport> {
  const contradictions = { tried: 0, harmful: 0 };
  for (const name of (await readdir(houses)).sort()) {
    const found = await inFolder((folder) => plantedIn(path.join(houses, name), folder, scorers));
    contradictions.tried += found.tried;
    contradictions.harmful += found.harmful;
  }
  return {
    unauthorised: await inFolder((folder) => unauthorised(folder, scorers, times.tried)),
    contradictions,
    audit: await inFolder((folder) => auditGaps(folder, scorers, times.failing)),
  };
}

/** With equal weights, from the upper ends of one-sided 95 % intervals. */
export function upperRisk({ unauthorised, contradictions, audit }: RiskReport): number {
  const each = [unauthorised, contradictions, audit].map(({ tried, harmful }) => upperShare(harmful, tried));
  return each.reduce((sum, share) => sum + share / each.length, 0);
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-risk-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every step of a ticket by everybody: harmful is one that changes the index though whoever takes it may not apply. */
async function unauthorised(folder: string, scorers: Scorers, times: number): Promise<Faults> {
  const index = await indexOf(folder, scorers);
  const { knowledge, close } = await openTickets(index, path.join(folder, 'audit.log'), scorers);
  const faults = { tried: 0, harmful: 0 };
  const hash = async () => (await openIndex(index)).manifest.hash;
  const docId = 'docs/deadline.md';
  try {
    for (let round = 0; round < times; round += 1) {
      const bytes = Buffer.from(textOf(docId, `round ${round}`));
      const { id } = await knowledge.propose(who('ann'), {
        claim: 'It is otherwise.',
        put: [{ id: docId, bytes }],
      });
      const onward = [
        () => knowledge.submit(who('ann'), id),
        () => knowledge.triage(who('bob'), id),
        () => knowledge.approve(who('bob'), id, ''),
        () => knowledge.approve(who('Ann'), id, ''),
      ];
      for (const step of onward) {
        for (const person of PEOPLE.filter((each) => each !== BOSS && !each.roles.includes('registrar'))) {
          const before = await hash();
          for (const tried of [
            () => knowledge.apply(person, id),
            () => knowledge.schedule(person, id, new Date(0)),
            () => knowledge.applyDue(person),
            () => knowledge.requireApprovals(person, 1),
          ]) {
            faults.tried += 1;
            await tried().catch(refusal);
            if ((await hash()) !== before) faults.harmful += 1;
          }
        }
        await step();
      }
      await knowledge.apply(who('reg'), id);
    }
    return faults;
  } finally {
    await close();
  }
}

function refusal(error: unknown): void {
  if (!PragauraError.isInstance(error) || error.code === 'INTERNAL') throw error;
}

/** Sentences of a house with a number, each given another number on a page of its own. */
async function plantedIn(house: string, folder: string, scorers: Scorers): Promise<Faults> {
  const index = path.join(folder, 'index');
  await indexDocuments([path.join(house, 'docs')], { out: index, scorers });
  const { knowledge, close } = await openTickets(index, path.join(folder, 'audit.log'), scorers);
  const faults = { tried: 0, harmful: 0 };
  try {
    const { passages } = await openIndex(index);
    for (const { docId, text } of passages) {
      for (const { start, end } of sentences(text, 0, text.length)) {
        const sentence = text.slice(start, end);
        const other = sentence.replace(/\d[\d,.:]*\d|\d/, (number) =>
          String(2 * Number.parseInt(number, 10) + 1),
        );
        if (other === sentence) continue;
        const id = `docs/notice-${faults.tried}.md`;
        const ticket = await knowledge.propose(BOSS, {
          claim: other,
          put: [{ id, bytes: Buffer.from(`# Notice\n\n${other}\n`) }],
        });
        await knowledge.submit(BOSS, ticket.id);
        const { assessment } = await knowledge.triage(BOSS, ticket.id);
        faults.tried += 1;
        if (!assessment!.contradictions.found.some((each) => each.docId === docId)) faults.harmful += 1;
      }
    }
    return faults;
  } finally {
    await close();
  }
}

/** Tickets on their way while the log fails now and then: whatever became of them has to be on it. */
async function auditGaps(folder: string, scorers: Scorers, times: number): Promise<Faults> {
  const index = await indexOf(folder, scorers);
  const { knowledge, log, close } = await openTickets(index, path.join(folder, 'audit.log'), scorers);
  const random = seededRandom(7);
  const faults = { tried: 0, harmful: 0 };
  const append = log.append.bind(log);
  log.append = async (event) => {
    if (random() >= SHARE_FAILING) return append(event);
    faults.tried += 1;
    throw new PragauraError('AUDIT_FAILED', 'The disk is full.');
  };
  const until = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!PragauraError.isInstance(error) || error.code !== 'AUDIT_FAILED') throw error;
      }
    }
  };
  const docId = 'docs/deadline.md';
  try {
    for (let pass = 0; pass < times; pass += 1) {
      const bytes = Buffer.from(textOf(docId, `pass ${pass}`));
      const proposal = { claim: 'It is otherwise.', put: [{ id: docId, bytes }] };
      const { id } = await until(() => knowledge.propose(who('ann'), proposal));
      await until(() => knowledge.submit(who('ann'), id));
      await until(() => knowledge.triage(who('bob'), id));
      await until(() => knowledge.approve(who('bob'), id, ''));
      await until(() => knowledge.approve(who('Ann'), id, ''));
      await until(() => knowledge.apply(who('reg'), id));
    }
    const logged = new Set<string>();
    for await (const { bytes } of rawLines(log.file)) {
      const { event } = JSON.parse(bytes.toString('utf8')) as {
        event?: { kind: string; about: string; detail: { version?: number } };
      };
      if (event?.detail.version !== undefined)
        logged.add(`${event.about} ${event.detail.version} ${event.kind}`);
    }
    for (const { id, history } of knowledge.tickets(BOSS)) {
      for (const { version, step } of history)
        if (!logged.has(`${id} ${version} ticket.${step}`)) faults.harmful += 1;
    }
    return faults;
  } finally {
    await close();
  }
}
