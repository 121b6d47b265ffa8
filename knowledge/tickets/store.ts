/** Tickets in one file of SQLite, and their files beside it by the hash of their bytes. */
import { createHash, randomInt } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type Database,
  inTransaction,
  openDatabase,
  PragauraError,
  type StoreKind,
  storeUnusable,
  withSqlite,
  writeWholeFile,
} from '../../common/index.ts';
import type { TicketState } from './states.ts';
import { Ticket, type TicketFile } from './ticket.ts';

const TICKETS: StoreKind = {
  name: 'a store of tickets',
  made: 'It is made with the first ticket: "pragaura knowledge propose".',
  // "PGTK"
  applicationId: 0x5047544b,
  migrations: [
    `CREATE TABLE tickets (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       version INTEGER NOT NULL,
       state TEXT NOT NULL,
       record TEXT NOT NULL
     ) STRICT;
     CREATE INDEX tickets_by_state ON tickets (state, id);
     CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;`,
    // Numbers are drawn by now, and say nothing of the order.
    `ALTER TABLE tickets ADD COLUMN turn INTEGER;
     UPDATE tickets SET turn = id;`,
  ],
  codes: { unusable: 'TICKETS_UNUSABLE', locked: 'TICKETS_LOCKED' },
};

/** Nine digits: few enough to type, too many to try. */
const NUMBERS = [100_000_000, 1_000_000_000] as const;
const WAIT_MS = 5000;
const HINT = 'May the folder of the index be written into, and is there room?';

type Row = { id: number; version: number; record: string };

export class TicketStore {
  readonly #dir: string;
  readonly #file: string;
  readonly #database: Database;

  private constructor(dir: string, file: string, database: Database) {
    this.#dir = dir;
    this.#file = file;
    this.#database = database;
  }

  /** Opens the store in a folder, or makes one. Throws TICKETS_UNUSABLE, TICKETS_LOCKED and WRITE_FAILED. */
  static async open(dir: string): Promise<TicketStore> {
    const file = path.join(dir, 'tickets.sqlite');
    const database = await openDatabase(TICKETS, file, { create: true, waitMs: WAIT_MS, blockMs: WAIT_MS });
    return new TicketStore(dir, file, database);
  }

  close(): void {
    this.#database.close();
  }

  /** Null where there is none of this number. Throws TICKETS_UNUSABLE for one that cannot be read. */
  ticket(id: number): Ticket | null {
    const row = this.#tried(() =>
      this.#database.prepare('SELECT id, version, record FROM tickets WHERE id = ?').get(id),
    );
    return row === undefined ? null : this.#ticketOf(row as Row);
  }

  /** The oldest first; of all states by default. */
  tickets(states?: readonly TicketState[]): Ticket[] {
    const rows = this.#tried(() =>
      states === undefined
        ? this.#database.prepare('SELECT id, version, record FROM tickets ORDER BY turn').all()
        : this.#database
            .prepare(
              `SELECT id, version, record FROM tickets WHERE state IN (${states.map(() => '?').join(', ')}) ORDER BY turn`,
            )
            .all(...states),
    );
    return (rows as Row[]).map((row) => this.#ticketOf(row));
  }

  /** A number that no ticket has. It is drawn: one that was counted would tell of tickets that are not for whoever is told it. */
  free(): number {
    for (;;) {
      const id = randomInt(...NUMBERS);
      const row = this.#tried(() => this.#database.prepare('SELECT 1 FROM tickets WHERE id = ?').get(id));
      if (row === undefined) return id;
    }
  }

  /** Throws CONFLICT where another ticket has the number by now. */
  add(ticket: Ticket): void {
    const { id, version, state } = ticket;
    const { changes } = this.#written(() =>
      this.#database
        .prepare(
          `INSERT INTO tickets (id, version, state, record, turn)
           VALUES (?, ?, ?, ?, (SELECT coalesce(max(turn), 0) + 1 FROM tickets)) ON CONFLICT DO NOTHING`,
        )
        .run(id, version, state, JSON.stringify(ticket)),
    );
    if (Number(changes) === 0) throw changedMeanwhile(id);
  }

  /** Puts a ticket in the place of the version before it. Throws CONFLICT where that is not the last one any more. */
  replace(ticket: Ticket): void {
    const { id, version, state } = ticket;
    const { changes } = this.#written(() =>
      this.#database
        .prepare('UPDATE tickets SET version = ?, state = ?, record = ? WHERE id = ? AND version = ?')
        .run(version, state, JSON.stringify(ticket), id, version - 1),
    );
    if (Number(changes) === 0) throw changedMeanwhile(id);
  }

  setting(name: string): string | null {
    const row = this.#tried(() =>
      this.#database.prepare('SELECT value FROM settings WHERE name = ?').get(name),
    );
    return (row as { value: string } | undefined)?.value ?? null;
  }

  set(name: string, value: string): void {
    this.#written(() =>
      this.#database
        .prepare(
          'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        )
        .run(name, value),
    );
  }

  /** Keeps bytes, on the disk when this resolves. Throws WRITE_FAILED. */
  async keep(name: string, bytes: Uint8Array): Promise<TicketFile> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = this.#path(sha256);
    if (!(await stat(file).catch(() => null))) await writeWholeFile(file, bytes, HINT);
    return { name, sha256, bytes: bytes.byteLength };
  }

  /** Throws TICKETS_UNUSABLE for a file that is not there or not what was kept. */
  async bytesOf({ name, sha256 }: TicketFile): Promise<Buffer> {
    const file = this.#path(sha256);
    let bytes: Buffer;
    try {
      bytes = await readFile(file);
    } catch (error) {
      throw storeUnusable(TICKETS, file, `${name} cannot be read`, error);
    }
    if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
    throw storeUnusable(TICKETS, file, `${name} was changed after it was kept`);
  }

  #path(sha256: string): string {
    return path.join(this.#dir, 'files', sha256);
  }

  #ticketOf({ id, version, record }: Row): Ticket {
    try {
      const ticket = Ticket.parse(JSON.parse(record));
      if (ticket.id === id && ticket.version === version) return ticket;
    } catch (error) {
      throw storeUnusable(TICKETS, this.#file, `ticket ${id} is damaged`, error);
    }
    throw storeUnusable(TICKETS, this.#file, `ticket ${id} is damaged`);
  }

  #tried<T>(work: () => T): T {
    return withSqlite(TICKETS, this.#file, WAIT_MS, work);
  }

  #written<T>(work: () => T): T {
    return this.#tried(() => inTransaction(this.#database, work));
  }
}

/** CONFLICT. */
export function changedMeanwhile(id: number): PragauraError {
  return new PragauraError('CONFLICT', `Ticket ${id} was changed meanwhile.`, {
    hint: 'Look at it again.',
  });
}
