import { cpus, totalmem } from 'node:os';

/** What the figures were taken on, in one line. */
export function machineLine(): string {
  const processors = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const model = processors[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown processor';
  return `${model}, ${processors.length} cores, ${memory} GiB, Node ${process.version}, ${process.platform} ${process.arch}`;
}

/** Resident memory of this process in MiB. */
export function residentMiB(): number {
  return process.memoryUsage().rss / 2 ** 20;
}

/** Peak resident memory of this process in MiB. */
export function peakMiB(): number {
  return process.resourceUsage().maxRSS / 2 ** 10;
}
