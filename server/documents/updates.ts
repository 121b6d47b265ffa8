/**
 * Brings an index up to date with what lies in its inbox: in a process of its own, so that no document that is read, and no
 * index that is written, keeps a question waiting or takes the server down.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtFile, EXIT, messageOf } from '../../common/index.ts';
import { checkedTogether, type IndexReport } from '../../corpus/index.ts';
import type { ModelChoice } from '../../scorers/index.ts';
import { errorFields, type Log } from '../../workers/health/log.ts';
import type { Inbox, Outcome, Work } from './inbox.ts';

export interface UpdaterOptions {
  index: string;
  inbox: Inbox;
  /** What texts are embedded with; the index needs the one that it was made with. */
  models: ModelChoice;
  log: Log;
  /** Takes up what was written; gives the hash of the index that is served then. */
  refresh: () => Promise<string>;
  /** Told of what is in the index, before the job says so. Where it throws, the job waits. */
  indexed?: (job: string, index: string) => Promise<void>;
}

/** Between one try and the next of what could not be done now. */
const AGAIN_MS = { first: 1000, most: 60_000 };
/** A batch that has not ended by then never will. */
const BATCH_MS = 3_600_000;
/** Of what the process says of a failure. */
const SAID_CHARS = 2000;

/** How a batch ended: in the index, not now, or never. */
type Ended =
  | { kind: 'done'; report: IndexReport }
  | { kind: 'later'; why: string }
  | { kind: 'failed'; why: string };

export class Updater {
  readonly #options: UpdaterOptions;
  readonly #closed = new AbortController();
  readonly #running: Promise<void>;
  #wake: () => void = () => {};

  constructor(options: UpdaterOptions) {
    this.#options = options;
    options.inbox.onWork = () => this.#wake();
    this.#running = this.#run();
  }

  /** What is not in the index yet waits for the next server. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#wake();
    await this.#running;
    this.#options.inbox.close();
  }

  async #run(): Promise<void> {
    const { inbox, log } = this.#options;
    const { signal } = this.#closed;
    let pause = AGAIN_MS.first;
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      const batch = batchOf(inbox.waiting());
      if (batch.length === 0) {
        await woken;
        continue;
      }
      const ids = batch.map(({ id }) => id);
      inbox.mark(ids, { running: true, trouble: null });
      const trouble = await this.#take(batch).catch((error: unknown) => {
        log.warn('documents.waiting', errorFields(error));
        return messageOf(error);
      });
      if (trouble === null) pause = AGAIN_MS.first;
      else if (!signal.aborted) {
        inbox.mark(
          inbox.waiting().flatMap(({ id }) => (ids.includes(id) ? [id] : [])),
          { running: false, trouble },
        );
        await sleep(pause, undefined, { signal }).catch(() => {});
        pause = Math.min(2 * pause, AGAIN_MS.most);
      }
    }
  }

  /** Gives why it has to be tried again; null where it has not. Throws WRITE_FAILED. */
  async #take(batch: readonly Work[]): Promise<string | null> {
    const ended = await this.#index(batch);
    if (ended.kind === 'later' || this.#closed.signal.aborted) return 'why' in ended ? ended.why : 'stopped';
    if (ended.kind === 'failed') {
      // One that cannot be done takes none of the others along.
      if (batch.length > 1) {
        for (const one of batch) {
          const trouble = await this.#take([one]);
          if (trouble !== null) return trouble;
        }
        return null;
      }
      this.#options.log.warn('documents.failed', { job: batch[0]!.id, detail: ended.why });
      await this.#options.inbox.finish(batch[0]!.id, { error: ended.why });
      return null;
    }
    const { inbox, refresh, indexed, log } = this.#options;
    const { report } = ended;
    const served = (await refresh()) === report.hash;
    for (const work of batch) {
      await indexed?.(work.id, report.hash);
      await inbox.finish(work.id, { outcome: outcomeOf(work, report), served });
    }
    const { added, changed, removed } = report;
    log.info('documents.indexed', {
      jobs: batch.length,
      added,
      changed,
      removed,
      index: report.hash,
      served,
    });
    return null;
  }

  async #index(batch: readonly Work[]): Promise<Ended> {
    const { index, inbox, models } = this.#options;
    const { folder, put, remove } = await inbox.stage(batch);
    const tops = [...new Set(put.map((id) => path.join(folder, id.split('/')[0]!)))];
    const args = [
      ...['index', ...tops, '--out', path.resolve(index), '--keep-missing', '--threads', '1', '--json'],
      ...remove.map((id) => `--remove=${id}`),
      ...(models.modelsDir === undefined ? [] : ['--models-dir', path.resolve(models.modelsDir)]),
      ...(models.models?.embed === undefined ? [] : ['--models.embed', models.models.embed]),
    ];
    return this.#process(args, inbox.dir).finally(() => rm(folder, { recursive: true, force: true }));
  }

  async #process(args: readonly string[], cwd: string): Promise<Ended> {
    // Options of the server's environment are not meant for this command.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('PRAGAURA_')),
    );
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(BATCH_MS)]);
    const child = spawn(process.execPath, [builtFile('main.js'), ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      // An index is written so that this does it no harm.
      killSignal: 'SIGKILL',
    });
    let [out, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-SAID_CHARS)));
    const status = await new Promise<number | string>((resolve) => {
      child.once('error', (error) => {
        if (!signal.aborted) resolve(messageOf(error));
      });
      child.once('close', (code, killed) => resolve(code ?? killed!));
    });
    if (status === EXIT.OK || status === EXIT.BAD_LINES) {
      return { kind: 'done', report: JSON.parse(out) as IndexReport };
    }
    const why = saidOf(said);
    if (status === EXIT.UNAVAILABLE) return { kind: 'later', why };
    return {
      kind: 'failed',
      why: typeof status === 'number' ? why : `The process that reads documents ended with ${status}.`,
    };
  }
}

/** Oldest first, as many as have no document that would have to be a folder for another. */
function batchOf(waiting: readonly Work[]): Work[] {
  const batch: Work[] = [];
  const ids = new Set<string>();
  for (const work of waiting) {
    const more = new Set([...ids, ...work.put]);
    try {
      checkedTogether([...more]);
    } catch {
      return batch;
    }
    for (const id of work.put) ids.add(id);
    batch.push(work);
  }
  return batch;
}

function outcomeOf({ put }: Work, { hash, counts, failed, leftOut }: IndexReport): Outcome {
  const of = <T extends { name: string; reason: string }>(list: readonly T[]) =>
    list.flatMap(({ name, reason }) => (put.includes(name) ? [{ id: name, reason }] : []));
  return { index: hash, documents: counts.documents, failed: of(failed), leftOut: of(leftOut) };
}

/** The sentence that a command ends with when it fails. */
function saidOf(text: string): string {
  const lines = text.trim().split('\n');
  return (lines.findLast((line) => line.startsWith('pragaura: ')) ?? lines.at(-1) ?? '').replace(
    /^pragaura: /,
    '',
  );
}
