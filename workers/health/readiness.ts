/** Whether a worker should be given work: models loaded, canaries passed, Redis there, not on its way out. */

const CONDITIONS = ['models', 'canaries', 'redis', 'taking'] as const;
export type Condition = (typeof CONDITIONS)[number];

export class Readiness {
  readonly #met = new Map<Condition, boolean>(CONDITIONS.map((condition) => [condition, false]));

  set(condition: Condition, met: boolean): void {
    this.#met.set(condition, met);
  }

  report(): { ready: boolean; conditions: Record<Condition, boolean> } {
    const conditions = Object.fromEntries(this.#met) as Record<Condition, boolean>;
    return { ready: Object.values(conditions).every(Boolean), conditions };
  }
}
