import type { IndexReport } from '../../corpus/index.ts';
import { table } from '../measure/table.ts';

/** One index made by one build of the program. */
export interface IndexingRun {
  program: string;
  /** Other builds may have no `inside`. */
  report: IndexReport;
  /** From the start of the process to its end, and to an answer by words from another process. */
  totalMs: number;
  answeredMs: number;
  /** sha256 of all vectors. */
  vectors: string;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

export function renderIndexing(runs: readonly IndexingRun[]): string {
  const rows = runs.map(({ program, report: { counts, ms, embedded }, totalMs, answeredMs }) => {
    const { inside } = ms;
    return [
      program,
      String(counts.passages),
      seconds(totalMs),
      ((1000 * counts.passages) / totalMs).toFixed(1),
      seconds(ms.embed),
      ((1000 * embedded) / ms.embed).toFixed(1),
      typeof inside === 'number' ? `${percent(inside, ms.embed)}, ${percent(inside, totalMs)}` : '–',
      `${seconds(answeredMs)} (${percent(answeredMs, totalMs)})`,
    ];
  });
  const [first, last] = [runs[0]!, runs.at(-1)!];
  const lines = [
    'Each build as a process of its own into a new folder. Inside ONNX Runtime: of the time of embedding, and of all of',
    'it, as a mean over the inference threads. First answer: by words, from another process, its start included.',
    '',
    table(
      [
        'build',
        'passages',
        's',
        'passages a second',
        's embedding',
        'texts a second',
        'inside ONNX Runtime',
        's to first answer (of all)',
      ],
      rows,
    ),
  ];
  if (runs.length > 1) {
    const same = first.vectors === last.vectors ? 'the same to the bit' : 'NOT the same';
    lines.push(
      '',
      `This build takes ${(last.totalMs / first.totalMs).toFixed(2)} of the time before; its first answer comes after ` +
        `${percent(last.answeredMs, first.totalMs)} of it. Vectors: ${same}.`,
    );
  }
  return lines.join('\n');
}
