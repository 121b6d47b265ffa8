/** Tickets from end to end: the built command line, signed tokens, a policy, and a claim that somebody made. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere } from '../../cli/testing/cli.ts';
import type { Decision } from '../../router/index.ts';
import type { Ticket } from '../tickets/ticket.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-ticket-commands-'));
const at = (name: string) => join(folder, name);
const index = at('index');
const log = at('audit.log');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = Buffer.alloc(32, 5);
const token = (id: string, role: string) =>
  new SignJWT({ roles: [role] })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('https://login.example')
    .setAudience('pragaura')
    .setSubject(id)
    .setExpirationTime('5m')
    .sign(secret);

const ROLES = { ann: 'student', bob: 'staff', cat: 'staff', reg: 'registrar', eve: 'nobody' };
/** As one of them, with the policy and the log; names of files are those of the folder. */
const as = async (who: keyof typeof ROLES, verb: string, ...args: string[]) =>
  runHere(
    ['knowledge', verb, ...args, '--index', index, '--principals', at('principals.json')].concat([
      '--policy-file',
      at('policy.cedar'),
      '--audit',
      log,
    ]),
    { env: { PRAGAURA_PRINCIPAL_TOKEN: await token(who, ROLES[who]) } },
  );
const ask = async (query: string) => {
  const { code, stdout } = await runHere(['ask', query, '--index', index, '--json', '--audit', log]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Decision;
};
const ticketIn = (stdout: string) => recordsOf(stdout)[0] as unknown as Ticket;

beforeAll(async () => {
  mkdirSync(at('docs'));
  writeFileSync(at('docs/deadline.md'), '# Deadlines\n\nThe deadline for applications is April 20.\n');
  writeFileSync(at('docs/fees.md'), '# Fees\n\nThe application fee is 40 crowns.\n');
  writeFileSync(at('new.md'), '# Fees\n\nThe application fee is 50 crowns.\n');
  writeFileSync(at('letter.txt'), 'The senate has raised the application fee to 50 crowns.');
  writeFileSync(
    at('jwks.json'),
    JSON.stringify({ keys: [{ kty: 'oct', k: secret.toString('base64url'), alg: 'HS256' }] }),
  );
  writeFileSync(
    at('principals.json'),
    JSON.stringify({ issuer: 'https://login.example', audience: 'pragaura', keys: 'jwks.json' }),
  );
  writeFileSync(
    at('policy.cedar'),
    `permit (principal in Role::"student", action in [Action::"read", Action::"propose"], resource is Document);
     permit (principal in Role::"staff", action in [Action::"read", Action::"review"], resource is Document);
     permit (principal in Role::"registrar", action, resource);`,
  );
  expect((await runHere(['index', at('docs'), '--out', index])).code).toBe(0);
});

/** Of the one ticket that there is. */
let id: string;

describe('a claim in a conversation', () => {
  it('changes nothing by itself, becomes a draft, and is in the index once it is reviewed', async () => {
    const said = 'I heard that the application fee has been raised to 50 crowns.';
    const before = await ask(said);
    expect(before).toMatchObject({ claim: 'The application fee has been raised to 50 crowns.' });
    expect(before.answer!.quotes.map(({ text }) => text).join()).toContain('40 crowns');
    // However often, and by whomever.
    for (let i = 0; i < 3; i += 1) expect((await ask(said)).answer).toEqual(before.answer);
    expect(await ask('What is the application fee?')).not.toHaveProperty('claim');

    writeFileSync(at('decision.json'), JSON.stringify(before));
    const refused = await as('eve', 'propose', '--decision', at('decision.json'));
    expect(refused).toMatchObject({ code: 77, stdout: '' });
    const draft = ticketIn((await as('ann', 'propose', '--decision', at('decision.json'), '--json')).stdout);
    id = String(draft.id);
    expect(draft).toMatchObject({
      state: 'DRAFT',
      from: 'conversation',
      about: expect.arrayContaining(['docs/fees.md']),
    });
    expect((await as('ann', 'submit', id)).code).toBe(2);
    const given = ['--as', 'docs/fees.md', '--ticket', id, '--proof', at('letter.txt'), '--json'];
    const proposed = ticketIn((await as('ann', 'propose', at('new.md'), ...given)).stdout);
    expect(proposed).toMatchObject({ id: draft.id, state: 'SUBMITTED', claim: before.claim });

    expect((await as('bob', 'diff', id)).stdout).toBe(
      'docs/fees.md\n  # Fees\n- The application fee is 40 crowns.\n+ The application fee is 50 crowns.\n',
    );
    const triaged = await as('bob', 'triage', id);
    expect(triaged.stdout).toMatch(/trust 0\.[2-5]/);
    expect(triaged.stderr).toContain('Others than the proposer approve or reject it');
    for (const [who, code] of [
      ['ann', 77],
      ['bob', 0],
      ['bob', 77],
      ['cat', 0],
    ] as const) {
      expect((await as(who, 'review', id, '--approve', '--because', 'seen')).code, who).toBe(code);
    }
    expect((await as('cat', 'apply', id)).code).toBe(77);
    expect(ticketIn((await as('reg', 'apply', id, '--json')).stdout).state).toBe('IMPLEMENTED');

    const after = await ask('What is the application fee?');
    expect(after.answer!.text).toContain('50 crowns');
    const traced = await runCli(['audit', 'trace', '--audit', log], { input: JSON.stringify(after) });
    const events = recordsOf<{ event: { kind: string; by: { id: string } } }>(traced.stdout).map(
      ({ event }) => event,
    );
    expect(events[0]!.kind).toBe('decision.made');
    expect(
      events.flatMap(({ kind, by }) => (kind.startsWith('ticket.') ? [`${kind.slice(7)} ${by.id}`] : [])),
    ).toEqual([
      ...[
        'propose ann',
        'amend ann',
        'submit ann',
        'triage bob',
        'refused ann',
        'endorse bob',
        'refused bob',
      ],
      ...['approve cat', 'refused cat', 'apply reg', 'stage reg', 'implement reg'],
    ]);
  });

  it('is taken back, and forth, and the log knows', async () => {
    const replay = async (...args: string[]) => {
      const { code, stdout } = await runHere(['audit', 'replay', '--index', index, '--audit', log, ...args]);
      return { code, stdout };
    };
    expect(await replay()).toMatchObject({ code: 0 });
    const back = await as('reg', 'rollback', '--ticket', id);
    expect(back.stdout).toContain(`Ticket ${id} is ROLLED_BACK.`);
    expect((await ask('What is the application fee?')).answer!.text).toContain('40 crowns');
    expect(await replay()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The index is what the log says'),
    });
    expect((await as('reg', 'rollback', '--ticket', id)).code).toBe(69);
    const forth = await as('reg', 'rollback', 'generation-000002');
    expect(forth.stdout).toContain(`Ticket ${id} is IMPLEMENTED.`);
    expect(await replay()).toMatchObject({ code: 0 });
    // Past the log.
    expect((await runHere(['index', at('docs'), '--out', index, '--unreviewed'])).code).toBe(0);
    const { code, stdout } = await replay('--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'otherwise',
      documents: [{ id: 'docs/fees.md', ticket: id }],
    });
    expect((await runHere(['audit', 'verify', '--audit', log])).code).toBe(0);
  });
});

describe('the commands', () => {
  it('say what was wrong, and do nothing', async () => {
    const tried = async (who: keyof typeof ROLES, ...args: [string, ...string[]]) => {
      const { code, stdout, stderr } = await as(who, ...args);
      expect(stdout).toBe('');
      return `${code} ${stderr.split('\n')[0]!.replaceAll(`${folder}/`, '')}`;
    };
    writeFileSync(at('bad.ndjson'), '{"id": "a", "query": "b"}\n{"id": 1}\n');
    writeFileSync(at('empty.md'), '');
    const said = await Promise.all([
      tried('ann', 'propose', at('none.md'), '--as', 'docs/x.md', '--claim', 'x'),
      tried('ann', 'propose', at('empty.md'), '--as', 'docs/x.md', '--claim', 'x'),
      tried('ann', 'propose', at('new.md'), '--claim', 'x'),
      tried('ann', 'propose', at('new.md'), '--as', '../x.md', '--claim', 'x'),
      tried('ann', 'propose', at('new.md'), '--as', 'docs/x.md'),
      tried('ann', 'propose', '--decision', at('new.md')),
      tried('reg', 'canaries', at('bad.ndjson')),
      tried('bob', 'review', id),
      tried('bob', 'review', id, '--reject'),
      tried('bob', 'show', '99'),
      tried('bob', 'list', '--state', 'done'),
      tried('reg', 'schedule', id, '--at', 'soon'),
      tried('reg', 'apply'),
      tried('bob', 'approvals', '1'),
    ]);
    expect(said).toEqual([
      '66 pragaura: none.md cannot be read: does not exist.',
      '65 pragaura: docs/x.md is empty.',
      '2 pragaura: What is new.md called in the index? Say --as ID.',
      '65 pragaura: A document cannot be called "../x.md": a part of it is "..".',
      '2 pragaura: What is so? Say it in a sentence: --claim "…".',
      '65 pragaura: That is no decision.',
      '65 pragaura: bad.ndjson, line 2: query: Invalid input: expected string, received undefined',
      '2 pragaura: Say --approve or --reject.',
      '2 pragaura: Why? Say --because "…".',
      '66 pragaura: There is no ticket 99.',
      '2 pragaura: There is no state "done".',
      '2 pragaura: --at takes a day or a moment, not "soon".',
      '2 pragaura: Name one ticket, or say --due.',
      '77 pragaura: bob may not administer this.',
    ]);
    expect((await as('bob', 'approvals')).stdout).toBe('2\n');
    expect((await runCli(['knowledge', 'list', '--index', at('nowhere')])).code).toBe(66);
    writeFileSync(join(index, 'pragaura-knowledge', 'tickets.sqlite'), 'no database');
    expect(await as('bob', 'list')).toMatchObject({ code: 66, stdout: '' });
    expect(readFileSync(join(index, 'pragaura-knowledge', 'tickets.sqlite'), 'utf8')).toBe('no database');
  });
});
