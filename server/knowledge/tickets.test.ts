/** Tickets over HTTP: people with tokens, an application with a key, a policy, an audit log, real servers over a real index. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tryFileLock } from '../../common/index.ts';
import { KNOWLEDGE } from '../../corpus/index.ts';
import { labelsFrom, parsePolicy, verifyLog } from '../../governance/index.ts';
import { people } from '../../governance/testing/people.ts';
import { indexDocuments } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { openLog } from '../../workers/health/log.ts';
import type { Server, ServerOptions } from '../server.ts';
import { keyWith, testServer } from '../testing/serve.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-tickets-http-'));
const at = (...names: string[]) => path.join(folder, ...names);
const known = people(folder);
const ROLES = { ann: 'student', bob: 'staff', cat: 'staff', reg: 'registrar', boss: 'boss', eve: 'guest' };
type Person = keyof typeof ROLES;
const POLICY = `
permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("open") };
permit (principal in Role::"student", action == Action::"propose", resource is Document);
permit (principal in Role::"staff", action in [Action::"propose", Action::"review"], resource is Document);
permit (principal in Role::"registrar", action, resource is Document) when { resource.tags.contains("open") };
permit (principal in Role::"boss", action, resource);
`;
const access = {
  policy: parsePolicy(POLICY, 'policy.cedar'),
  labels: labelsFrom(
    { schema: 'pragaura.labels/1', documents: { 'docs/': { tags: ['open'] } } },
    'labels.json',
  ),
};
const DEADLINE = (day: string) =>
  `# Deadlines\n\nThe deadline for applications is ${day}. Late ones are not considered.\n`;
const QUESTION = 'What is the deadline for applications?';

let scorers: Scorers;
let key: string;
let number = 0;
let own: string;
let server: Server;
const open: Server[] = [];

beforeAll(async () => {
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  write('docs/deadline.md', DEADLINE('April 20'));
  write('docs/fees.md', '# Fees\n\nThe application fee is 40 crowns.\n');
  write('secret/board.md', '# Board\n\nThe board keeps the deadline for applications at April 20.\n');
  scorers = await openScorers({ threads: 2 });
  await indexDocuments([at('docs'), at('secret')], { out: at('index'), scorers });
  key = await keyWith(at('keys.json'), ['decide', 'write']);
});
afterAll(async () => {
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  own = at(`own-${number++}`);
  cpSync(at('index'), path.join(own, 'index'), { recursive: true });
  server = await serve();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close(0)));
});

const index = () => path.join(own, 'index');
const audit = () => path.join(own, 'audit.log');

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  const one = await testServer({
    collections: [{ name: 'house', index: index(), scorers }],
    scorers,
    log: openLog({ level: 'silent', write: () => {} }),
    keys: at('keys.json'),
    principals: known.file,
    access,
    audit: { file: audit(), key: path.join(own, 'audit.key') },
    writable: {},
    ...options,
  });
  open.push(one);
  return one;
}

/** Another server in the place of the one that there is. */
async function restart(options: Partial<ServerOptions> = {}): Promise<void> {
  await open.pop()!.close(0);
  server = await serve(options);
}

const token = (person: Person) => known.tokenOf(person, [ROLES[person]]);

interface Said {
  status: number;
  retry: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds.
  body: any;
}

async function asked(bearer: string, method: string, to: string, body?: object): Promise<Said> {
  const response = await fetch(`${server.url}/v1/${to}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, retry: response.headers.get('retry-after'), body: await response.json() };
}

/** What a person is told. `to`: behind the collection. */
const as = async (person: Person, method: string, to: string, body?: object) =>
  asked(await token(person), method, `collections/house/${to}`, body);

/** The same, of what is done. */
async function done(person: Person, method: string, to: string, body?: object) {
  const said = await as(person, method, to, body);
  expect(said.body).not.toHaveProperty('code');
  return said.body;
}

const proposal = (day: string, more: object = {}) => ({
  claim: `The deadline for applications is ${day}.`,
  put: [{ id: 'docs/deadline.md', text: DEADLINE(day) }],
  ...more,
});
const approve = async (person: Person, id: number, because = 'Seen.') => {
  const { version } = await done(person, 'GET', `tickets/${id}`);
  return as(person, 'POST', `tickets/${id}/review`, { verdict: 'approve', because, version });
};
async function approved(given: object, by: Person = 'ann'): Promise<number> {
  const { id } = await done(by, 'POST', 'tickets', given);
  await done('bob', 'POST', `tickets/${id}/triage`);
  await approve('bob', id);
  expect((await approve('cat', id)).body.state).toBe('APPROVED');
  return id;
}
const answer = async (person: Person = 'ann') =>
  (await asked(await token(person), 'POST', 'decisions', { query: QUESTION })).body.answer?.text;
const kinds = () =>
  readFileSync(audit(), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line).event?.kind as string | undefined) ?? []);

describe('tickets over HTTP', () => {
  it('lead from a proposal to answers, with two approvals and never the proposer’s, and back again', async () => {
    expect(await answer()).toContain('April 20');
    const letter = Buffer.from('The board has moved the deadline for applications to May 3.');
    const proof = [{ name: 'letter.txt', base64: letter.toString('base64') }];
    const ticket = await done('bob', 'POST', 'tickets', proposal('May 3', { proof }));
    expect(ticket).toMatchObject({
      state: 'SUBMITTED',
      proposer: { id: 'bob' },
      next: ['withdraw', 'triage', 'reject'],
    });
    const { id } = ticket;
    expect((await done('cat', 'GET', `tickets/${id}/diff`)).differences).toEqual([
      {
        docId: 'docs/deadline.md',
        lines: [
          { kind: 'context', text: '# Deadlines' },
          { kind: 'gone', text: 'The deadline for applications is April 20.' },
          { kind: 'come', text: 'The deadline for applications is May 3.' },
          { kind: 'context', text: 'Late ones are not considered.' },
        ],
      },
    ]);
    const proofOf = async (person: Person, sha256: string) =>
      fetch(`${server.url}/v1/collections/house/tickets/${id}/proof/${sha256}`, {
        headers: { authorization: `Bearer ${await token(person)}` },
      });
    const file = await proofOf('cat', ticket.proof[0].sha256);
    expect(file.headers.get('content-disposition')).toBe('attachment');
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await file.arrayBuffer())).toEqual(letter);
    expect((await proofOf('cat', ticket.put[0].sha256)).status).toBe(404);
    expect((await proofOf('eve', ticket.proof[0].sha256)).status).toBe(404);
    const { assessment } = await done('cat', 'POST', `tickets/${id}/triage`);
    expect(assessment.trust.entailment).toBeGreaterThan(0.5);
    expect(await approve('bob', id)).toMatchObject({ status: 403, body: { code: 'NOT_PERMITTED' } });
    expect(await approve('cat', id)).toMatchObject({ status: 200, body: { state: 'UNDER_REVIEW' } });
    expect(await approve('cat', id)).toMatchObject({ status: 403 });
    expect(await as('reg', 'POST', `tickets/${id}/apply`)).toMatchObject({ status: 409 });
    expect((await approve('reg', id)).body.state).toBe('APPROVED');
    expect(await as('cat', 'POST', `tickets/${id}/apply`)).toMatchObject({ status: 403 });
    expect(await answer()).toContain('April 20');
    expect(await done('reg', 'POST', `tickets/${id}/apply`)).toMatchObject({
      ticket: { state: 'IMPLEMENTED', next: ['rollback'] },
      served: true,
    });
    expect(await answer()).toContain('May 3');
    expect(await as('cat', 'POST', `tickets/${id}/rollback`)).toMatchObject({ status: 403 });
    expect(await done('reg', 'POST', `tickets/${id}/rollback`)).toMatchObject({
      ticket: { state: 'ROLLED_BACK' },
      served: true,
    });
    expect(await answer()).toContain('April 20');
    const steps = [
      'propose',
      'submit',
      'triage',
      'endorse',
      'approve',
      'apply',
      'stage',
      'implement',
      'rollback',
    ];
    expect(kinds().filter((kind) => steps.includes(kind.replace('ticket.', '')))).toEqual(
      steps.map((step) => `ticket.${step}`),
    );
    expect(kinds()).toContain('ticket.read');
    expect((await verifyLog(audit())).verdict).toBe('whole');
  });

  it('are another’s to amend, withdraw and administer for nobody', async () => {
    const draft = await done('ann', 'POST', 'tickets', {
      claim: 'The fee is gone.',
      about: ['docs/fees.md'],
    });
    expect(draft).toMatchObject({ state: 'DRAFT', next: ['amend', 'withdraw'] });
    const one = `tickets/${draft.id}`;
    expect(await as('ann', 'POST', `${one}/submit`)).toMatchObject({ status: 400 });
    expect(await as('boss', 'PUT', one, proposal('May 3'))).toMatchObject({ status: 403 });
    expect(await as('boss', 'POST', `${one}/withdraw`)).toMatchObject({ status: 403 });
    const amended = await done('ann', 'PUT', one, { claim: 'The fee is gone.', remove: ['docs/fees.md'] });
    expect(amended).toMatchObject({ state: 'DRAFT', remove: ['docs/fees.md'] });
    expect(await done('ann', 'POST', `${one}/submit`)).toMatchObject({ state: 'SUBMITTED' });
    const because = { verdict: 'reject', because: 'Nobody decided so.', version: 3 };
    expect(await done('bob', 'POST', `${one}/review`, because)).toMatchObject({
      state: 'REJECTED',
      rejected: { by: { id: 'bob' }, because: 'Nobody decided so.' },
    });
    expect(await done('ann', 'GET', 'approvals')).toEqual({ approvals: 2 });
    expect(await as('reg', 'PUT', 'approvals', { approvals: 1 })).toMatchObject({ status: 403 });
    expect(await done('boss', 'PUT', 'approvals', { approvals: 1 })).toEqual({ approvals: 1 });
    const { id } = await done('ann', 'POST', 'tickets', proposal('May 3', { draft: true }));
    expect(await done('ann', 'POST', `tickets/${id}/withdraw`)).toMatchObject({
      state: 'WITHDRAWN',
      next: [],
    });
  });

  it('do not exist for whom they are not, by any path: not by their number, not by their count', async () => {
    const hidden = await done('boss', 'POST', 'tickets', {
      claim: 'The board moves the deadline.',
      put: [{ id: 'secret/board.md', text: '# Board\n\nThe board moves the deadline to May 3.\n' }],
    });
    const first = await done('ann', 'POST', 'tickets', proposal('May 3'));
    for (let i = 0; i < 3; i += 1) {
      const text = `# Board\n\nThe board has ${i} members.\n`;
      await done('boss', 'POST', 'tickets', { claim: 'x', put: [{ id: 'secret/board.md', text }] });
    }
    const second = await done('ann', 'POST', 'tickets', proposal('May 10'));
    for (const person of ['ann', 'bob', 'reg'] as const) {
      const { tickets, after } = await done(person, 'GET', 'tickets?limit=2');
      expect(tickets.map(({ id }: { id: number }) => id)).toEqual([first.id, second.id]);
      expect(after).toBeNull();
    }
    expect(second.id - first.id).not.toBe(4);
    expect((await done('boss', 'GET', 'tickets')).tickets).toHaveLength(6);
    const page = await done('boss', 'GET', 'tickets?limit=4&state=SUBMITTED');
    expect((await done('boss', 'GET', `tickets?limit=4&after=${page.after}`)).tickets).toHaveLength(2);

    expect(await as('reg', 'GET', `tickets?after=${hidden.id}`)).toMatchObject({ status: 404 });

    const review = { verdict: 'approve', because: 'x', version: 2 };
    const paths: [string, string, object?][] = [
      ['GET', ''],
      ['PUT', '', proposal('May 3')],
      ['GET', '/diff'],
      ...['submit', 'withdraw', 'triage', 'apply', 'rollback'].map((step): [string, string] => [
        'POST',
        `/${step}`,
      ]),
      ['POST', '/review', review],
      ['POST', '/schedule', { at: '2099-01-01' }],
    ];
    const never = hidden.id === 999_999_999 ? 999_999_998 : 999_999_999;
    for (const [method, step, body] of paths) {
      const [its, none] = await Promise.all(
        [hidden.id, never].map(async (id) => {
          const { status, body: said } = await as('reg', method, `tickets/${id}${step}`, body);
          return { status, said: JSON.stringify({ ...said, instance: '' }).replaceAll(String(id), 'ID') };
        }),
      );
      expect(its, step).toEqual(none);
      expect(its!.status, step).toBe(404);
      // Nobody in particular is let in at all.
      const open = await fetch(`${server.url}/v1/collections/house/tickets/${hidden.id}${step}`, { method });
      expect(open.status).toBe(401);
    }
    expect(await as('eve', 'GET', 'tickets')).toMatchObject({ status: 200, body: { tickets: [] } });
    for (const id of ['x', '0', '-1', '1e3', '99999999999999999999', '%2e%2e%2f']) {
      expect((await as('boss', 'GET', `tickets/${id}`)).status, id).toBe(404);
    }
    // What contradicts a change is hidden with its document, from whoever measures it too.
    const { assessment } = await done('bob', 'POST', `tickets/${first.id}/triage`);
    expect(JSON.stringify(assessment)).not.toContain('board');
    expect(JSON.stringify(await done('boss', 'GET', `tickets/${first.id}`))).toContain('secret/board.md');
    // Nor is it to be learned by proposing whether a document is there.
    const tried = async (id: string) => {
      const { status, body } = await as('ann', 'POST', 'tickets', { claim: 'x', put: [{ id, text: 'y' }] });
      return [status, body.code, body.detail];
    };
    expect(await tried('secret/board.md')).toEqual(await tried('secret/none.md'));
  });

  it('are of people: an application’s key is nobody, whatever its scopes', async () => {
    const call = (method: string, to: string, body?: object) =>
      asked(key, method, `collections/house/${to}`, body);
    for (const said of [
      await call('GET', 'tickets'),
      await call('POST', 'tickets', proposal('May 3')),
      await call('POST', 'tickets/123456789/apply'),
      await call('PUT', 'approvals', { approvals: 1 }),
    ]) {
      expect(said).toMatchObject({ status: 403, body: { code: 'NOT_PERMITTED' } });
    }
  });

  it('are changed by one of two reviewers at once, and approved only as they were looked at', async () => {
    const { id } = await done('ann', 'POST', 'tickets', proposal('May 3'));
    const { version } = await done('bob', 'POST', `tickets/${id}/triage`);
    const review = { verdict: 'approve', because: 'Seen.', version };
    const both = await Promise.all([
      as('bob', 'POST', `tickets/${id}/review`, review),
      as('cat', 'POST', `tickets/${id}/review`, review),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const late = both[0]!.status === 409 ? 'bob' : 'cat';
    expect(await approve(late, id)).toMatchObject({ status: 200, body: { state: 'APPROVED' } });
    // Another text in between.
    const other = await done('ann', 'POST', 'tickets', proposal('May 3', { draft: true }));
    await done('ann', 'POST', `tickets/${other.id}/submit`);
    const seen = await done('bob', 'POST', `tickets/${other.id}/triage`);
    await done('bob', 'POST', `tickets/${other.id}/triage`);
    expect(
      await as('cat', 'POST', `tickets/${other.id}/review`, { ...review, version: seen.version }),
    ).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });

  it('are in conflict where their base moved, by a ticket or by whoever may write', async () => {
    const [first, second] = [await approved(proposal('May 3')), await approved(proposal('May 10'))];
    await done('reg', 'POST', `tickets/${first}/apply`);
    expect(await as('reg', 'POST', `tickets/${second}/apply`)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', title: 'Not as things stand' },
    });
    expect(await done('ann', 'GET', `tickets/${second}`)).toMatchObject({
      state: 'CONFLICT',
      next: ['amend', 'withdraw'],
    });
    expect(await answer()).toContain('May 3');
  });

  it('are measured and applied one at a time, however many are at it', async () => {
    const fee = (crowns: number) => ({
      claim: `The application fee is ${crowns} crowns.`,
      put: [{ id: 'docs/fees.md', text: `# Fees\n\nThe application fee is ${crowns} crowns.\n` }],
    });
    const moved = await approved(proposal('May 3'));
    const others = await Promise.all([50, 60].map((crowns) => done('ann', 'POST', 'tickets', fee(crowns))));
    const said = await Promise.all([
      as('reg', 'POST', `tickets/${moved}/apply`),
      ...others.map(({ id }) => as('bob', 'POST', `tickets/${id}/triage`)),
    ]);
    expect(said.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await answer()).toContain('May 3');
  });

  it('go on where a server ended in between', async () => {
    const { id } = await done('ann', 'POST', 'tickets', proposal('May 3'));
    await restart();
    await done('bob', 'POST', `tickets/${id}/triage`);
    await approve('bob', id);
    await restart();
    expect((await approve('cat', id)).body.state).toBe('APPROVED');
    // It ends while it is applied: what was begun is ended first.
    const applying = as('reg', 'POST', `tickets/${id}/apply`).catch(() => null);
    await expect.poll(() => kinds().includes('ticket.apply'), { timeout: 60_000 }).toBe(true);
    await restart();
    await applying;
    expect(await done('reg', 'GET', `tickets/${id}`)).toMatchObject({ state: 'IMPLEMENTED' });
    expect(await answer()).toContain('May 3');
    expect((await verifyLog(audit())).verdict).toBe('whole');
  });

  it('are under an embargo until it is over, and taken out by a timer when they are valid no longer', async () => {
    const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
    const validTo = soon(24 * 3_600_000);
    const id = await approved({
      claim: 'There is a summer school.',
      put: [{ id: 'docs/summer.md', text: '# Summer school\n\nThe summer school begins on July 6.\n' }],
      validTo,
    });
    expect(await as('reg', 'POST', `tickets/${id}/schedule`, { at: 'soon' })).toMatchObject({ status: 400 });
    expect(await as('reg', 'POST', `tickets/${id}/schedule`, { at: '2199-01-01' })).toMatchObject({
      status: 400,
    });
    expect(await done('reg', 'POST', `tickets/${id}/schedule`, { at: soon(3_600_000) })).toMatchObject({
      state: 'SCHEDULED',
      next: ['reject', 'schedule'],
    });
    expect(await as('reg', 'POST', `tickets/${id}/apply`)).toMatchObject({ status: 409 });
    expect(await done('reg', 'POST', 'tickets:due')).toEqual({ tickets: [], served: true });
    await done('reg', 'POST', `tickets/${id}/schedule`, { at: soon(0) });
    expect(await done('eve', 'POST', 'tickets:due')).toEqual({ tickets: [], served: true });
    expect(await done('reg', 'POST', 'tickets:due')).toEqual({
      tickets: [{ id, state: 'IMPLEMENTED', trouble: null }],
      served: true,
    });
  });

  it('are applied by the clock of a server where the policy lets its role', async () => {
    const id = await approved(proposal('May 3'));
    await done('reg', 'POST', `tickets/${id}/schedule`, { at: new Date().toISOString() });
    const clock =
      'permit (principal in Role::"scheduler", action, resource is Document) when { resource.tags.contains("open") };';
    await restart({ dueMs: 20 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await done('reg', 'GET', `tickets/${id}`)).toMatchObject({ state: 'SCHEDULED' });
    await restart({
      dueMs: 20,
      access: { ...access, policy: parsePolicy(`${POLICY}${clock}`, 'policy.cedar') },
    });
    while ((await done('reg', 'GET', `tickets/${id}`)).state !== 'IMPLEMENTED')
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await done('reg', 'GET', `tickets/${id}`)).history.at(-1).by).toMatchObject({ id: 'scheduler' });
    expect(await answer()).toContain('May 3');
  });

  it('stay as they are where the log cannot be written, or something else is being applied', async () => {
    const id = await approved(proposal('May 3'));
    renameSync(audit(), `${audit()}.away`);
    for (const [person, step, body] of [
      ['reg', 'apply'],
      ['reg', 'schedule', { at: '2099-01-01' }],
    ] as const) {
      expect(await as(person, 'POST', `tickets/${id}/${step}`, body), step).toMatchObject({ status: 503 });
    }
    expect(await as('ann', 'POST', 'tickets', proposal('May 10'))).toMatchObject({
      status: 503,
      body: { code: 'AUDIT_FAILED', detail: 'This could not be done; the log of the server says why.' },
    });
    expect(await as('bob', 'GET', `tickets/${id}`)).toMatchObject({ status: 503 });
    renameSync(`${audit()}.away`, audit());
    expect(await done('bob', 'GET', `tickets/${id}`)).toMatchObject({ state: 'APPROVED' });
    expect((await done('ann', 'GET', 'tickets')).tickets).toHaveLength(1);

    const release = tryFileLock(path.join(index(), KNOWLEDGE, 'applying.lock'))!;
    const locked = await as('reg', 'POST', `tickets/${id}/apply`);
    release();
    expect(locked).toMatchObject({ status: 503, body: { code: 'TICKETS_LOCKED' } });
    expect(Number(locked.retry)).toBeGreaterThan(0);
    expect(JSON.stringify(locked.body)).not.toContain(String(process.pid));
    expect(await done('reg', 'POST', `tickets/${id}/apply`)).toMatchObject({ served: true });
    expect((await verifyLog(audit())).verdict).toBe('whole');
  });

  it.each([
    ['no claim', { put: [{ id: 'docs/x.md', text: 'y' }] }, 400],
    ['no document at all', { claim: 'x' }, 400],
    ['an empty claim', { claim: ' ', put: [{ id: 'docs/x.md', text: 'y' }] }, 400],
    ['a way out', { claim: 'x', put: [{ id: '../x.md', text: 'y' }] }, 400],
    ['no kind of document', { claim: 'x', put: [{ id: 'docs/x.exe', text: 'y' }] }, 400],
    ['an empty document', { claim: 'x', put: [{ id: 'docs/x.md', text: '' }] }, 400],
    ['text and base64', { claim: 'x', put: [{ id: 'docs/x.md', text: 'y', base64: 'eQ==' }] }, 400],
    ['what is no base64', { claim: 'x', put: [{ id: 'docs/x.md', base64: '*' }] }, 400],
    ['a day that is none', proposal('May 3', { validFrom: 'tomorrow' }), 400],
    [
      'an end before the beginning',
      proposal('May 3', { validFrom: '2099-01-02', validTo: '2099-01-01' }),
      400,
    ],
    ['too many files', { claim: 'x', remove: Array.from({ length: 51 }, (_, i) => `docs/${i}.md`) }, 400],
    ['a document that is not there', { claim: 'x', remove: ['docs/none.md'] }, 404],
    ['something else', proposal('May 3', { approvals: 2 }), 400],
    [
      'a body beyond the limit',
      proposal('May 3', { proof: [{ name: 'a.txt', text: 'a'.repeat(2 ** 20) }] }),
      413,
    ],
  ])('are none of %s', async (_, body, status) => {
    expect(await as('ann', 'POST', 'tickets', body)).toMatchObject({ status });
    expect((await done('boss', 'GET', 'tickets')).tickets).toEqual([]);
  });

  it('are there only where there is a policy, a log and an index that may be written', async () => {
    const { offers } = (await asked(await token('ann'), 'GET', 'collections')).body;
    expect(offers).toEqual(['tickets']);
    for (const missing of [{ access: undefined }, { audit: undefined }, { writable: undefined }]) {
      await restart(missing as Partial<ServerOptions>);
      expect(await as('boss', 'GET', 'tickets')).toMatchObject({ status: 404 });
      expect((await asked(await token('ann'), 'GET', 'collections')).body.offers).toEqual([]);
    }
    expect((await asked(await token('boss'), 'GET', 'collections/none/tickets')).status).toBe(404);
  });

  it('wait their turn as queries do', async () => {
    await restart({ perMinute: 2 });
    await done('ann', 'GET', 'tickets');
    await done('ann', 'GET', 'tickets');
    const said = await as('ann', 'GET', 'tickets');
    expect(said).toMatchObject({ status: 429, body: { code: 'TOO_BUSY' } });
    expect(Number(said.retry)).toBeGreaterThan(0);
  });
});
