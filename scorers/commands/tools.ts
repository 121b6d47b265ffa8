/** What this room's commands need of a terminal; the front door hands it in, so that no arrow leads back from here. */
export interface CommandTools {
  /** Text from elsewhere, made harmless, on one line. */
  plainLine(text: string): string;
  /** One line on standard error that is drawn over and over, on a terminal only. */
  progress(label: string): { update(done: number, detail?: string): void; end(): void };
  /** `signal` fires on the first Ctrl-C. */
  installSignals(): { signal: AbortSignal; dispose(): void };
}
