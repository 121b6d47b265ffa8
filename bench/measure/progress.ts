const EVERY_MS = 5_000;

/** Says how far a long run is, every five seconds and at the end; `done` counts what was there before as well. */
export class Progress {
  readonly #label: string;
  readonly #total: number;
  readonly #say: (line: string) => void;
  readonly #now: () => number;
  readonly #start: number;
  #done = 0;
  #resumed = 0;
  #said: number;

  constructor(label: string, total: number, say: (line: string) => void, now = () => performance.now()) {
    this.#label = label;
    this.#total = total;
    this.#say = say;
    this.#now = now;
    this.#start = now();
    this.#said = this.#start;
  }

  /** `resumed`: this one had been done by an earlier run. */
  step(resumed = false): void {
    this.#done++;
    if (resumed) this.#resumed++;
    const now = this.#now();
    if (this.#done < this.#total && now - this.#said < EVERY_MS) return;
    this.#said = now;
    const fresh = this.#done - this.#resumed;
    const rate = fresh === 0 ? '' : `, ${((1_000 * fresh) / (now - this.#start)).toFixed(1)}/s`;
    const from = this.#resumed === 0 ? '' : `, ${this.#resumed} from an earlier run`;
    this.#say(`${this.#label}: ${this.#done} of ${this.#total}${rate}${from}`);
  }
}
