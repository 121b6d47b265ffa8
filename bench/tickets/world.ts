/** A small house with rules: its people, its policy, its documents. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';
import {
  type Access,
  AuditLog,
  ensureSigningKey,
  labelsFrom,
  type PolicyAction,
  type Principal,
  parsePolicy,
} from '../../governance/index.ts';
import { Knowledge } from '../../knowledge/index.ts';
import { indexDocuments } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';

const person = (id: string, roles: string[], via: Principal['via'] = 'token'): Principal => ({
  id,
  roles: ['public', ...roles],
  via,
  clearance: 0,
});

/** Names that are alike, one person by two ways of saying who he is, and somebody without a token. */
export const PEOPLE: readonly Principal[] = [
  person('ann', ['student']),
  person('Ann', ['staff']),
  person('bob', ['staff']),
  person('bob ', []),
  person('cat', ['staff']),
  person('cat', ['staff'], 'local'),
  person('reg', ['registrar']),
  person('boss', ['boss']),
  person('public', [], 'none'),
];

/** One of them, by a token. */
export const who = (id: string): Principal => PEOPLE.find((each) => each.id === id && each.via === 'token')!;

const POLICY = `
@id("read") permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("open") };
@id("propose") permit (principal in Role::"student", action == Action::"propose", resource is Document)
  when { resource.tags.contains("open") };
@id("review") permit (principal in Role::"staff", action in [Action::"propose", Action::"review"], resource is Document)
  when { resource.tags.contains("open") };
@id("apply") permit (principal in Role::"registrar", action, resource is Document) when { resource.tags.contains("open") };
@id("all") permit (principal in Role::"boss", action, resource);
`;

/** The same, said without Cedar. */
export function mayByRole({ roles }: Principal, action: PolicyAction, docId: string): boolean {
  if (roles.includes('boss')) return true;
  if (!docId.startsWith('docs/')) return false;
  if (action === 'read' || roles.includes('registrar')) return true;
  if (action === 'propose') return roles.includes('student') || roles.includes('staff');
  return action === 'review' && roles.includes('staff');
}

export function accessOf(): Access {
  const labels = { schema: 'pragaura.labels/1', documents: { 'docs/': { tags: ['open'] } } };
  return { policy: parsePolicy(POLICY, 'policy.cedar'), labels: labelsFrom(labels, 'labels.json') };
}

/** Documents that are changed, and one that stays, so that the index is never empty. */
export const DOCUMENTS = ['docs/deadline.md', 'docs/fees.md', 'docs/new.md', 'secret/plan.md'] as const;

export const textOf = (docId: string, value: string) => `# ${docId}\n\nWhat ${docId} says is ${value}.\n`;

/** What the index has at first: all but `docs/new.md`. */
export function atFirst(): Map<string, string> {
  const ids = [...DOCUMENTS.filter((id) => id !== 'docs/new.md'), 'docs/stays.md'];
  return new Map(ids.map((id) => [id, textOf(id, 'as it was')]));
}

export async function indexOf(folder: string, scorers: Scorers): Promise<string> {
  for (const [id, text] of atFirst()) {
    const file = path.join(folder, ...id.split('/'));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const out = path.join(folder, 'index');
  await indexDocuments([path.join(folder, 'docs'), path.join(folder, 'secret')], { out, scorers });
  return out;
}

/** The tickets of an index with a log at `file`, by the policy of the house. */
export async function openTickets(index: string, file: string, scorers: Scorers) {
  const log = await AuditLog.open({ file, key: ensureSigningKey(`${file}.key`) });
  const knowledge = await Knowledge.open({ index, access: accessOf(), log, scorers: async () => scorers });
  const close = async () => {
    knowledge.close();
    await log.close();
  };
  return { knowledge, log, close };
}

/** A lock of a process that was killed while it made it is left alone for a moment. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (
        !PragauraError.isInstance(error) ||
        !['INDEX_LOCKED', 'TICKETS_LOCKED', 'AUDIT_FAILED'].includes(error.code)
      )
        throw error;
      await pause(500);
    }
  }
}
