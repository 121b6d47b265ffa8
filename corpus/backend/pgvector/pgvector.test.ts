/** One server for all. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRouter, type Router } from '../../../router/index.ts';
import { buildIndex } from '../../build-index.ts';
import { indexDocuments } from '../../index-documents.ts';
import { analyse } from '../../postings/index.ts';
import { openIndex } from '../../store/open-index.ts';
import { options, Scratch, vectorFor } from '../../testing/support.ts';
import { openView } from '../../view.ts';
import type { Search } from '../backend.ts';
import { embeddedBackend } from '../embedded.ts';
import { openBackend, publish } from '../open.ts';
import { conforms } from '../testing/conformance.ts';
import { expectSameDecisions, FILES, QUESTIONS } from '../testing/decisions.ts';
import { stages } from '../testing/staging.ts';
import { type RunningPostgres, startPostgres } from '../testing/start-postgres.ts';

let server: RunningPostgres;
const scratch = new Scratch();
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
  scratch.clear();
});

/** The folder of an index with this name. */
async function indexed(name: string, files: Record<string, string>): Promise<string> {
  const dir = join(scratch.folder(), '..', name);
  await buildIndex([scratch.folder(files)], options(dir));
  return dir;
}

/** Adds a document to an index. */
async function updated(dir: string, file: string): Promise<void> {
  const folder = scratch.folder({ [file]: `# Pump of ${file}\n\nA pump moves water.\n` });
  await buildIndex([folder], options(dir, { keepMissing: true }));
}

const VALVE = { 'a.md': '# Valve\n\nA valve is a device that controls the flow of water.\n' };
const open = (name: string, backend = server.backend) => openBackend(name, { backend });
const asked = (text: string) => [...new Set(analyse(text))].map((term) => ({ term, weight: 1 }));
const aboutValves: Search = { field: 'text', terms: asked('valve'), k: 5 };

/** Tables of generations that are there, of whatever index. */
const tables = async () =>
  (
    await server.ask<{ relname: string }>(
      `SELECT relname FROM pg_class WHERE relnamespace = 'pragaura'::regnamespace AND relkind = 'r' AND relname ~ '_\\d+$' ORDER BY relname`,
    )
  ).map(({ relname }) => relname);

/** Holds a lock of a table for as long as `work` takes. */
async function whileLocked<T>(table: string, mode: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client(server.backend.replace('pgvector=', ''));
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE pragaura.${table} IN ${mode} MODE`);
    return await work();
  } finally {
    await client.end();
  }
}

/** Waits until a statement that holds `text` waits for a lock. Gives its process on the server. */
async function waitingFor(text: string): Promise<number> {
  for (;;) {
    const [found] = await server.ask<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${text}%'`,
    );
    if (found !== undefined) return found.pid;
    await sleep(20);
  }
}

conforms('pgvector', async (dir) => {
  await publish(dir, server.backend);
  return open(dir);
});

stages('PostgreSQL', () => server.backend);

describe('generations in PostgreSQL', () => {
  it('are written once, and one stays beside the current one', async () => {
    const dir = await indexed('turns', VALVE);
    const first = await publish(dir, server.backend);
    expect(first.written).toBe(true);
    expect(await publish(dir, server.backend)).toEqual({ index: first.index, written: false, removed: [] });
    const old = await open('turns');
    await updated(dir, 'b.md');
    await publish(dir, server.backend);
    expect((await old.health()).generation).toBe('superseded');
    // Whoever had the one before open goes on with it.
    expect(await old.passages([0])).toHaveLength(1);
    const now = await open('turns');
    expect(now.documents.map(({ docId }) => docId)).toEqual(['docs/a.md', 'docs/b.md']);
    const health = await now.health();
    expect(health.detail).toMatch(/PostgreSQL \d.* with pgvector \d/);
    expect(health.bytes).toBeGreaterThan(10_000);
    await updated(dir, 'c.md');
    expect((await publish(dir, server.backend)).removed).toEqual([first.index]);
    expect((await old.health()).generation).toBe('gone');
    const gone = { code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining('not give all') };
    await expect(old.search([aboutValves])).rejects.toMatchObject(gone);
    await expect(old.search([{ vector: vectorFor('x'), k: 2 }])).rejects.toMatchObject(gone);
    await expect(old.holding(['valv'], 2)).rejects.toMatchObject(gone);
    await expect(old.entriesOf(['valve'])).rejects.toMatchObject(gone);
    await Promise.all([old.close(), now.close()]);
  });

  it('have hashes of their own, for calibrations are of what they were made with', async () => {
    const dir = await indexed('hashes', VALVE);
    await publish(dir, server.backend);
    const [backend, folder] = [await open('hashes'), await openIndex(dir)];
    expect(backend.manifest.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(backend.manifest.hash).not.toBe(folder.manifest.hash);
    await backend.close();
  });

  it('leave nothing behind when their writer dies before the end, and two do not write at once', async () => {
    const dir = await indexed('killed', VALVE);
    await publish(dir, server.backend);
    const before = await tables();
    await updated(dir, 'b.md');
    await whileLocked('indexes', 'SHARE', async () => {
      const writing = publish(dir, server.backend).catch((error: unknown) => error);
      const pid = await waitingFor('INSERT INTO pragaura.indexes');
      await expect(publish(dir, server.backend)).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        message: expect.stringContaining('Another run is writing'),
      });
      const meanwhile = await open('killed');
      expect(meanwhile.documents).toHaveLength(1);
      await meanwhile.close();
      await server.ask(`SELECT pg_terminate_backend(${pid})`);
      expect(await writing).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    });
    expect(await tables()).toEqual(before);
    const stopped = publish(dir, server.backend, { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await publish(dir, server.backend)).toMatchObject({ written: true });
    const after = await open('killed');
    expect(after.documents).toHaveLength(2);
    await after.close();
  });

  it('are not read where a row of them is missing or changed, and written anew by the next run', async () => {
    const dir = await indexed('torn', VALVE);
    await publish(dir, server.backend);
    const [{ id }] = (await server.ask<{ id: number }>(
      `SELECT generation AS id FROM pragaura.indexes WHERE index_name = 'torn'`,
    )) as [{ id: number }];
    const backend = await open('torn');
    await server.ask(`DELETE FROM pragaura.passages WHERE generation = ${id}`);
    const missing = { code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining('0 is missing') };
    await expect(backend.passages([0])).rejects.toMatchObject(missing);
    await expect(backend.search([aboutValves])).rejects.toMatchObject(missing);
    await backend.close();
    await server.ask(
      `UPDATE pragaura.segments SET bytes = 'x' WHERE generation = ${id} AND name = 'postings.text.terms'`,
    );
    await expect(open('torn')).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      message: expect.stringContaining('postings.text.terms is not what was written'),
    });
    expect(await publish(dir, server.backend)).toMatchObject({ written: true });
    const mended = await open('torn');
    expect(await mended.passages([0])).toHaveLength(1);
    await mended.close();
  });

  it('are found beside hundreds that are all the same, by the vectors of both', async () => {
    const doors = Array.from({ length: 740 }, (_, i) => `{"_id":"d${i}","text":"Door ${i} is of oak."}`);
    const files = { 'doors.jsonl': doors.join('\n'), 'same.txt': 'A line about water.\n\n'.repeat(12_000) };
    // A graph is another one each time.
    for (let again = 0; again < 5; again++) {
      const dir = await indexed(`alike-${again}`, files);
      await publish(dir, server.backend);
      const [backend, reference] = [await open(`alike-${again}`), embeddedBackend(await openIndex(dir))];
      const { passages, vectors, dimension } = await openIndex(dir);
      const searches = [10, passages.length - 10].map(
        (ordinal): Search => ({
          vector: vectors.slice(ordinal * dimension, (ordinal + 1) * dimension),
          k: 1,
        }),
      );
      const score = (found: { score: number }[][]) => found.map(([hit]) => hit?.score);
      expect(score(await backend.search(searches))).toEqual(score(await reference.search(searches)));
      await backend.close();
    }
  });

  it('are searched by their graph where they are large, on behind what a filter keeps out', async () => {
    const kinds = ['Valve number N is a device that leaks.', 'Pump N broke because of ice.'];
    const text = Array.from(
      { length: 4_400 },
      (_, i) => `# Part ${i}\n\n${kinds[i % 2]!.replace('N', String(i))}\n`,
    );
    const dir = await indexed('large', {
      'a.md': text.slice(0, 2_200).join('\n'),
      'b.md': text.slice(2_200).join('\n'),
    });
    await publish(dir, server.backend);
    // Whatever the server would make of a table of this size.
    await server.ask(
      'ALTER ROLE postgres SET enable_seqscan = off; ALTER ROLE postgres SET enable_bitmapscan = off',
    );
    const [backend, reference] = [await open('large'), embeddedBackend(await openIndex(dir))];
    const searches: Search[] = Array.from({ length: 12 }, (_, i) => ({
      vector: vectorFor(`question ${i}`),
      k: 60,
      filters: [undefined, { docId: ['docs/b.md'] }, { genre: ['definition' as const] }, { docId: [] }][
        i % 4
      ],
    }));
    const [found, wanted] = [await backend.search(searches), await reference.search(searches)];
    const all = wanted.flat();
    const hit = wanted.flatMap((hits, i) =>
      hits.filter(({ ordinal }) => found[i]!.some((other) => other.ordinal === ordinal)),
    );
    expect(all.length).toBe(9 * 60);
    expect(found.map((hits) => hits.length)).toEqual(wanted.map((hits) => hits.length));
    expect(hit.length / all.length).toBeGreaterThan(0.99);
    const byWords: Search[] = [{ field: 'text', terms: asked('Which valve leaks a device 77?'), k: 60 }];
    expect(await backend.search(byWords)).toEqual(await reference.search(byWords));
    expect((await backend.holding(['valv'], 3))[0]).toEqual(
      (await reference.holding(['valv'], 3))[0]!.map(({ ordinal, passage, parts, vector }) => ({
        ordinal,
        passage,
        parts,
        vector,
      })),
    );
    await backend.close();
    await server.ask('ALTER ROLE postgres RESET enable_seqscan; ALTER ROLE postgres RESET enable_bitmapscan');
  });
});

describe('a role that may not read all', () => {
  const FILES = {
    'hr/pay.md': '# Pay\n\nThe bonus of ADR-0012 is 400 crowns.\n',
    'hr/leave.md': '# Leave\n\nLeave is 30 days.\n',
    'open/valve.md': '# Valve\n\nA valve is a device. See ADR-0013.\n',
  };
  let dir: string;

  beforeAll(async () => {
    dir = await indexed('mixed', FILES);
    await publish(dir, server.backend);
    await server.ask(`
      CREATE ROLE staff LOGIN PASSWORD 'staff'; CREATE ROLE board LOGIN PASSWORD 'board'; CREATE ROLE nobody_yet LOGIN PASSWORD 'new';
      GRANT USAGE ON SCHEMA pragaura TO staff, board, nobody_yet;
      GRANT SELECT ON ALL TABLES IN SCHEMA pragaura TO staff, board, nobody_yet;
      INSERT INTO pragaura.readers VALUES ('mixed', 'staff', 'docs/open/'), ('mixed', 'staff', 'docs/hr/leave.md'), ('mixed', 'board', '');`);
  });

  const rowsOf = async (role: string, password: string, text: string) => {
    const client = new pg.Client(server.as(role, password).replace('pgvector=', ''));
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };

  it('opens what it may read, to the hash an index that never held the rest', async () => {
    const backend = await open('mixed', server.as('staff', 'staff'));
    const view = await openView(dir, ({ docId }) => docId !== 'docs/hr/pay.md');
    expect(backend.documents).toEqual(view.documents);
    expect(backend.manifest.hash).toBe(view.manifest.hash);
    expect(backend.identifiers.has('ADR-0013')).toBe(true);
    expect(backend.identifiers.has('ADR-0012')).toBe(false);
    expect(await backend.search([{ field: 'text', terms: asked('bonus crowns'), k: 9 }])).toEqual([[]]);
    expect(backend.lexicons.text.weigh(asked('bonus'))[0]!.place).toBe(-1);
    expect(await backend.search([aboutValves])).toEqual(await embeddedBackend(view).search([aboutValves]));
    expect((await backend.health()).generation).toBe('current');
    await backend.close();
  });

  it('sees no row of the rest, by whatever name it asks the server itself', async () => {
    const names = ['documents', 'passages', 'postings', 'segments', ...(await tables())];
    for (const name of names) {
      const rows = await rowsOf('staff', 'staff', `SELECT * FROM pragaura.${name}`);
      expect(JSON.stringify(rows)).not.toMatch(/bonus|pay\.md/);
      expect(rows.length).toBe(name === 'documents' || name === 'passages' ? 2 : 0);
    }
    expect(await rowsOf('staff', 'staff', 'SELECT role FROM pragaura.readers')).toHaveLength(2);
    await expect(
      rowsOf('staff', 'staff', `INSERT INTO pragaura.readers VALUES ('mixed', 'staff', '')`),
    ).rejects.toThrow('permission denied');
  });

  it('searches in the server where it may read all of it, and finds no index where nothing', async () => {
    const backend = await open('mixed', server.as('board', 'board'));
    const owner = await open('mixed');
    expect(backend.manifest.hash).toBe(owner.manifest.hash);
    expect(await backend.search([aboutValves])).toEqual(await owner.search([aboutValves]));
    await Promise.all([backend.close(), owner.close()]);
    await expect(open('mixed', server.as('nobody_yet', 'new'))).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      hint: expect.stringContaining('pragaura.readers'),
    });
    await expect(publish(dir, server.as('staff', 'staff'))).rejects.toMatchObject({
      code: 'BACKEND_UNUSABLE',
      hint: expect.stringContaining('owner of the schema'),
    });
  });
});

describe('what does not fit', () => {
  it.each<[string, string]>([
    ['another engine', 'solr=http://127.0.0.1:1'],
    ['no URL', 'pgvector=nowhere'],
    ['another scheme', 'pgvector=http://127.0.0.1/db'],
    ['no database', 'pgvector=postgres://me@127.0.0.1:1'],
    ['an unknown parameter', 'pgvector=postgres://me@127.0.0.1/db?colour=red'],
    ['no name of a schema', 'pgvector=postgres://me@127.0.0.1/db?schema=a;b'],
    ['no way of encryption', 'pgvector=postgres://me@127.0.0.1/db?sslmode=perhaps'],
  ])('in the option is told: %s', async (_, backend) => {
    await expect(open('a', backend)).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('pgvector=postgres'),
    });
  });

  it('no server, and its credentials are not told', async () => {
    const failure = await open('a', 'pgvector=postgres://me:hush@127.0.0.1:1/db').catch((error) => error);
    expect(failure).toMatchObject({ code: 'BACKEND_UNAVAILABLE', hint: expect.stringContaining('Start it') });
    expect(JSON.stringify(failure) + failure.message).not.toContain('hush');
  });

  it('a wrong password, no password, an unknown role, no such database', async () => {
    const refused = { code: 'BACKEND_UNUSABLE', message: expect.stringContaining('refuses who asks') };
    for (const [user, password] of [
      ['postgres', 'wrong'],
      ['postgres', ''],
      ['stranger', 'x'],
    ] as const) {
      const failure = await open('a', server.as(user, password)).catch((error) => error);
      expect(failure).toMatchObject(refused);
      expect(`${failure.message}${failure.hint}`).not.toContain('wrong');
    }
    await expect(open('a', server.as('postgres', 'secret', 'nowhere'))).rejects.toMatchObject({
      code: 'BACKEND_UNUSABLE',
      hint: expect.stringContaining('createdb'),
    });
  });

  it('no encryption where it is asked for', async () => {
    await expect(open('a', `${server.backend}?sslmode=verify-full`)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('SSL'),
    });
  });

  it('no pgvector, one that is too old, one in a schema that is not searched', async () => {
    await server.ask('CREATE DATABASE bare');
    const bare = server.as('postgres', 'secret', 'bare');
    const unusable = (hint: string) => ({ code: 'BACKEND_UNUSABLE', hint: expect.stringContaining(hint) });
    await expect(open('a', bare)).rejects.toMatchObject(unusable('CREATE EXTENSION vector'));
    await server.ask('CREATE SCHEMA aside; CREATE EXTENSION vector SCHEMA aside', 'bare');
    await expect(open('a', bare)).rejects.toMatchObject(unusable('search_path'));
    await server.ask(`UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'`, 'bare');
    await expect(open('a', bare)).rejects.toMatchObject(unusable('ALTER EXTENSION vector UPDATE'));
  });

  it('no index of the name, also where there never was one', async () => {
    const none = {
      code: 'INDEX_UNUSABLE',
      hint: expect.stringContaining('--out nowhere --backend pgvector='),
    };
    await expect(open('nowhere')).rejects.toMatchObject(none);
    await expect(open('nowhere', `${server.backend}?schema=empty`)).rejects.toMatchObject(none);
  });

  it('other tables in the schema, and those of another version', async () => {
    const dir = await indexed('foreign', VALVE);
    await server.ask(
      `CREATE SCHEMA theirs; CREATE SCHEMA later; COMMENT ON SCHEMA later IS 'pragaura.pgvector/99'`,
    );
    for (const [schema, what] of [
      ['theirs', 'none of PragAURA'],
      ['later', 'another version'],
    ] as const) {
      const refusal = { code: 'BACKEND_UNUSABLE', message: expect.stringContaining(what) };
      await expect(open('foreign', `${server.backend}?schema=${schema}`)).rejects.toMatchObject(refusal);
      await expect(publish(dir, `${server.backend}?schema=${schema}`)).rejects.toMatchObject(refusal);
    }
  });

  it('a server that takes no writes, or has no room: what was there stays', async () => {
    const dir = await indexed('blocked', VALVE);
    await publish(dir, server.backend);
    await updated(dir, 'b.md');
    const before = await tables();
    await server.ask('ALTER ROLE postgres SET default_transaction_read_only = on');
    await expect(publish(dir, server.backend)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('takes no writes'),
    });
    await server.ask(
      'START TRANSACTION READ WRITE; ALTER ROLE postgres RESET default_transaction_read_only; COMMIT',
    );
    // As the server says it when a disk is full.
    await server.ask(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON pragaura.generations EXECUTE FUNCTION full_disk()`);
    await expect(publish(dir, server.backend)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('no room left'),
    });
    await server.ask('DROP TRIGGER full_disk ON pragaura.generations');
    expect(await tables()).toEqual(before);
    const backend = await open('blocked');
    expect(backend.documents).toHaveLength(1);
    await backend.close();
    expect(await publish(dir, server.backend)).toMatchObject({ written: true });
  });
});

describe('a server that ails', () => {
  it('is given up in time, and computes nothing for whoever has gone', async () => {
    await publish(await indexed('slow', VALVE), server.backend);
    const backend = await open('slow');
    await whileLocked('passages', 'ACCESS EXCLUSIVE', async () => {
      await expect(backend.passages([0], { ms: 300 })).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        message: expect.stringContaining('took longer than'),
      });
      const controller = new AbortController();
      const search = backend.search([aboutValves], { signal: controller.signal });
      await waitingFor('best.ordinal');
      controller.abort();
      await expect(search).rejects.toMatchObject({ code: 'ABORTED' });
      for (let left = 1; left > 0; await sleep(50)) {
        const waiting = await server.ask(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
        left = waiting.length;
      }
    });
    expect(await backend.passages([0])).toHaveLength(1);
    await server.restart();
    expect(await backend.passages([0])).toHaveLength(1);
    await backend.close();
  });
});

describe('a router over PostgreSQL', () => {
  const routers: Router[] = [];

  beforeAll(async () => {
    const dir = join(scratch.folder(), '..', 'routed');
    await indexDocuments([scratch.folder(FILES)], { out: dir });
    await publish(dir, server.backend);
    routers.push(await openRouter({ index: dir }));
    routers.push(await openRouter({ index: 'routed', backend: server.backend }));
  });
  afterAll(() => Promise.all(routers.map((router) => router.close())));

  it('decides as one over the folder, on a hash of its own', async () => {
    const [embedded, engined] = routers;
    await expectSameDecisions(embedded!, engined!, QUESTIONS);
  });

  it('refuses an index that another embedder made', async () => {
    await publish(await indexed('stranger', VALVE), server.backend);
    await expect(openRouter({ index: 'stranger', backend: server.backend })).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      message: expect.stringContaining('stranger at postgres'),
    });
  });

  it('abstains for a reason of its own when the server goes away', async () => {
    await server.stop();
    const decision = await routers[1]!.route({ id: 'q', query: QUESTIONS[0]! });
    expect(decision).toMatchObject({
      action: 'ABSTAIN',
      abstention: { reason: 'INDEX_UNAVAILABLE', kind: 'OTHER', suggestions: [] },
      evidence: [],
    });
  });
});
