import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { PragauraError } from '../../common/index.ts';
import type { Query } from '../../router/index.ts';

/**
 * A program that takes queries on standard input and gives a line for each on standard output, in any order: `route
 * --unordered` or `submit --wait --unordered`. Each is asked through the same pipes, so that what differs is the queue.
 */
export class Piped {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, { resolve(line: string): void; reject(error: unknown): void }>();
  readonly #ended: Promise<string>;

  /** `args`: of this very program. */
  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [process.argv[1]!, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A child that dies early closes its input: what matters then is its exit code.
    this.#child.stdin!.on('error', () => {});
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      const { id } = JSON.parse(line) as { id: string };
      this.#waiting.get(id)?.resolve(line);
      this.#waiting.delete(id);
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('close', (code, signal) => resolve(signal ?? String(code)));
    });
    void this.#ended.then((how) => {
      const gone = new PragauraError('INTERNAL', `pragaura ${args[0]} ended with ${how} and owed answers.`);
      for (const { reject } of this.#waiting.values()) reject(gone);
    });
  }

  /** The line for this query; its id must not be in flight. */
  ask(query: Query): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(query.id, { resolve, reject });
      this.#child.stdin!.write(`${JSON.stringify(query)}\n`);
    });
  }

  /** Ends it; what it owes is refused. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Ends its input and waits for its end; throws INTERNAL when that is not with 0. */
  async close(): Promise<void> {
    this.#child.stdin!.end();
    const how = await this.#ended;
    if (how !== '0') throw new PragauraError('INTERNAL', `A program that was measured ended with ${how}.`);
  }
}
