/** Where to look in a collection, and nothing asked twice: the whole way, with real models over a real index and store. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COUNTED_UNITS } from '../profiles/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { Decision, indexDocuments, openIndex, openRouter, type Query } from './index.ts';
import { lookingIn } from './where.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-where-'));
const index = join(folder, 'index');
/** Answered, and answered differently; contradicted. */
const RESET = 'How do I reset a password?';
const UPLOAD = 'How large may an upload be?';
let scorers: Scorers;

beforeAll(async () => {
  const documents = join(folder, 'manual');
  const texts = {
    'v1/uploads.md': '# Uploads\n\nAn upload may be 20 megabytes large. Larger files are refused.\n',
    'v1/accounts.md': '# Accounts\n\nAn account is closed after 90 days without a login.\n',
    'v2/uploads.md': '# Uploads\n\nAn upload may be 50 megabytes large. Larger files are refused.\n',
    'v2/files.md':
      '# Files\n\nHow large a file may be: an upload may be 50 megabytes large, whatever its kind.\n',
    'v2/accounts.md': '# Accounts\n\nAn account is closed after 30 days without a login.\n',
    'v1/passwords.md': '# Passwords\n\nTo reset a password, open the menu Account and choose Reset.\n',
    'v2/passwords.md':
      '# Passwords\n\nTo reset a password, run reset-password on the server and restart it.\n',
    'v2/login.md':
      '# Login\n\nWhoever cannot log in resets the password: run reset-password on the server.\n',
    'basic.md':
      '# Basic plan\n\nThe basic plan costs 20 euros a year. It is for people who read in the hall.\n',
    'gold.md': '# Gold plan\n\nThe gold plan costs 45 euros a year. It is for people who take books home.\n',
    'family.md':
      '# Family plan\n\nThe family plan costs 60 euros a year. Two adults and their children share it.\n',
    'hours.md': '# Opening hours\n\nThe reading hall opens at nine in the morning and closes at six.\n',
  };
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(join(documents, name, '..'), { recursive: true });
    writeFileSync(join(documents, name), text);
  }
  await indexDocuments([documents], { out: index });
  scorers = await openScorers({ threads: 2 });
});

afterAll(async () => {
  await scorers.close();
  rmSync(folder, { recursive: true, force: true });
});

let stores = 0;
let queries = 0;
async function learning<T>(
  work: (ask: (more?: Partial<Query>) => Promise<Decision>) => Promise<T>,
): Promise<T> {
  const defaults = { store: join(folder, `${stores++}.db`), tenant: 't' };
  const router = await openRouter({ index, scorers, defaults });
  try {
    return await work(async (more = {}) =>
      Decision.parse(await router.route({ id: `q${queries++}`, query: RESET, ...more })),
    );
  } finally {
    await router.close();
  }
}

const said = (...texts: string[]) =>
  texts.map((text, i) => ({ role: i % 2 === 0 ? ('user' as const) : ('assistant' as const), text }));

const quoted = ({ answer }: Decision) => answer?.quotes.map(({ docId }) => docId) ?? [];
const lies = (where: string) => expect.stringContaining(`/${where}/`);

describe('a question that folders answer differently', () => {
  it('is answered from where most of it lies, which is said, can be undone, and is no vote by itself', async () => {
    await learning(async (ask) => {
      const first = await ask({ query: RESET });
      expect(first).toMatchObject({
        action: 'ANSWER',
        answer: { text: expect.stringContaining('reset-password') },
        parsed: { scope: { where: 'v2' } },
        defaults: [
          {
            outcome: 'APPLIED',
            reason: 'COLLECTION',
            used: 'v2',
            sentence: expect.stringMatching(
              /^Looked in "v2", where most .* \(2 of 3 passages\); "v1" may say/,
            ),
            default: { field: 'where', sampleSize: 0 },
          },
        ],
      });
      expect(quoted(first)).toEqual(quoted(first).map(() => lies('v2')));

      const undone = await ask({ query: 'no, look in v1', history: said(RESET, first.answer!.text) });
      expect(undone).toMatchObject({
        action: 'ANSWER',
        answer: { text: expect.stringContaining('menu Account') },
        selfContained: { text: 'How do I reset a password (v1)?' },
        parsed: { scope: { where: 'v1' } },
        votes: [{ signal: 'explicit_no', field: 'where', value: 'v2', instead: 'v1', counted: true }],
        defaults: [],
      });
      // Who has said where is asked no more, and looked up there from then on.
      const turns = [RESET, first.answer!.text, 'no, look in v1', undone.answer!.text];
      expect(await ask({ query: 'When is an account closed?', history: said(...turns) })).toMatchObject({
        action: 'ANSWER',
        answer: { text: expect.stringContaining('90') },
        askedBefore: { variable: 'where', turn: 2, value: 'v1', instead: 'REPLY' },
      });
    });
  });

  it('is asked back with a proposal where the folders contradict each other, and yes takes it', async () => {
    await learning(async (ask) => {
      const asked = await ask({ query: UPLOAD, id: 'asked' });
      const { message, request } = asked.clarification!;
      expect(message).toMatch(/^I would look in "v2", where most .*\. Where should I look: "v2" or "v1"\?$/);
      expect(asked).toMatchObject({
        action: 'ASK',
        defaults: [{ outcome: 'SUGGESTED', reason: 'COLLECTION', used: null }],
        clarification: { reason: 'CONFLICTING_EVIDENCE', question: { kind: 'where' } },
      });
      expect(asked.abstention).toBeUndefined();
      expect(request).toEqual({
        schema: 'pragaura.clarification-request/2',
        targetField: 'scope.where',
        questionToUser: message,
        candidateValues: ['v2', 'v1'],
        proposedDefault: 'v2',
        proposedDefaultReason: asked.defaults[0]!.sentence,
        audit: { default: asked.defaults[0]!.default.id },
      });
      for (const [reply, value, size] of [
        ['yes', 'v2', '50'],
        ['v1', 'v1', '20'],
        ['the second one', 'v1', '20'],
      ] as const) {
        const replied = await ask({ query: reply, history: said(UPLOAD, message) });
        expect(replied, reply).toMatchObject({
          action: 'ANSWER',
          answer: { text: expect.stringContaining(size) },
          votes: [{ signal: 'explicit_yes', field: 'where', value }],
        });
      }
    });
  });

  it('is answered from where users look, also what they ask in other words', async () => {
    await learning(async (ask) => {
      for (let n = 0; n < 5; n++) {
        const { clarification } = await ask({ query: UPLOAD });
        await ask({ query: 'v1', history: said(UPLOAD, clarification!.message) });
      }
      const other = await ask({ query: 'When is an account closed?' });
      expect(other).toMatchObject({
        action: 'ANSWER',
        answer: { text: expect.stringContaining('90') },
        parsed: { scope: { where: 'v1' } },
        defaults: [{ outcome: 'APPLIED', reason: 'LEARNED', used: 'v1' }],
      });
      const overruled = await ask({ query: 'When is an account closed?', defaults: { where: 'v2' } });
      expect(overruled.answer!.text).toContain('30');
      expect(await ask({ query: RESET, defaults: false })).toMatchObject({
        action: 'ASK',
        clarification: { request: { targetField: 'scope.where', proposedDefault: null } },
      });
    });
  });

  it('is looked for where it says itself, in brackets or in its own words', async () => {
    await learning(async (ask) => {
      for (const query of ['How large may an upload be (v1)?', 'How large may an upload be in v1?']) {
        expect(await ask({ query }), query).toMatchObject({
          action: 'ANSWER',
          answer: { text: expect.stringContaining('20') },
          parsed: { scope: { where: 'v1' } },
          defaults: [],
        });
      }
    });
  });

  it('is not asked where to look twice: what is proposed is taken, and the decision says so', async () => {
    await learning(async (ask) => {
      const { clarification } = await ask({ query: UPLOAD });
      const again = await ask({ query: UPLOAD, history: said(UPLOAD, clarification!.message) });
      expect(again).toMatchObject({
        action: 'ANSWER',
        answer: { text: expect.stringContaining('50') },
        askedBefore: { variable: 'where', turn: 1, value: 'v2', instead: 'PROPOSAL' },
        defaults: [{ outcome: 'APPLIED', reason: 'ASKED_BEFORE', used: 'v2' }],
      });
    });
  });

  it('is decided as ever where no defaults are learned', async () => {
    const router = await openRouter({ index, scorers });
    const decision = await router.route({ id: 'q', query: UPLOAD });
    expect(decision).toMatchObject({ action: 'ABSTAIN', defaults: [], parsed: { scope: { where: null } } });
    await router.close();
  });
});

describe('lookingIn', () => {
  it.each([
    ['What is it (v1)?', 'What is it?', 'v1'],
    ['What is it ( V2 ) .', 'What is it.', 'v2'],
    ['What is it (v3)?', null, null],
    ['What is it (manual)?', null, null],
    ['(v1) What is it?', null, null],
    ['(((v1)?', '((?', 'v1'],
    ['()', null, null],
    ['', null, null],
  ])('%s', async (query, text, where) => {
    const found = lookingIn(await openIndex(index), query, undefined);
    expect(found === null ? [null, null] : [found.text, found.where]).toEqual([text, where]);
  });

  it('lets nothing through that the query keeps out', async () => {
    const opened = await openIndex(index);
    const [one, two, ...more] = opened.documents.filter(({ docId }) => docId.includes('/v1/'));
    expect(lookingIn(opened, 'What (v1)?', undefined)?.filters.docId).toEqual([
      one!.docId,
      two!.docId,
      ...more.map(({ docId }) => docId),
    ]);
    expect(lookingIn(opened, 'What (v1)?', { docId: [two!.docId], genre: ['steps'] })?.filters).toEqual({
      docId: [two!.docId],
      genre: ['steps'],
    });
    expect(lookingIn(opened, 'What (v1)?', { docId: [] })?.filters.docId).toEqual([]);
  });
});

describe('what was asked in a conversation', () => {
  const PRICE = 'How much does the plan cost a year?';

  it.each([
    ['with a store of defaults', true],
    ['without one', false],
  ])('is not asked again, %s: it is answered with what was replied, or stays open', async (_, learns) => {
    const router = await openRouter({
      index,
      scorers,
      // As the general rule lists what each plan costs, nothing would be asked.
      ...(learns ? { defaults: { store: join(folder, 'once.db'), tenant: 't' } } : { rule: 'provisional' }),
    });
    const ask = async (query: string, ...turns: string[]) =>
      Decision.parse(await router.route({ id: `once-${queries++}`, query, history: said(...turns) }));
    const first = await ask(PRICE);
    const { message, request } = first.clarification!;
    expect(request).toMatchObject({ targetField: 'fields', proposedDefault: null });
    expect(request!.candidateValues).toContain('gold plan');
    expect(first.askedBefore).toBeUndefined();

    const replied = await ask('gold plan', PRICE, message);
    expect(replied).toMatchObject({ action: 'ANSWER', answer: { text: expect.stringContaining('45') } });
    const again = await ask(PRICE, PRICE, message, 'gold plan', replied.answer!.text);
    expect(again).toMatchObject({
      action: 'ANSWER',
      answer: { text: expect.stringContaining('45') },
      askedBefore: { variable: 'plan', turn: 1, value: 'gold plan', instead: 'REPLY' },
      routed: expect.stringContaining('gold plan'),
    });
    const { budget, spent } = again.receipt;
    for (const unit of COUNTED_UNITS) expect(spent[unit]).toBeLessThanOrEqual(budget[unit]);

    // The same choice in other words is the same question.
    const ignored = await ask(PRICE, PRICE, message);
    expect(ignored).toMatchObject({
      action: 'ABSTAIN',
      abstention: {
        message: expect.stringMatching(/You were asked before, and it is still open\. Say "[^?]+$/),
      },
      askedBefore: { variable: 'plan', turn: 1, value: null, instead: 'SILENCE' },
    });
    expect(ignored.clarification).toBeUndefined();
    const late = await ask('the gold plan', PRICE, message, PRICE, ignored.abstention!.message);
    expect(late).toMatchObject({ action: 'ANSWER', answer: { text: expect.stringContaining('45') } });
    await router.close();
  });
});
