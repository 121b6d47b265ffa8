import path from 'node:path';
import { checkFolder, csvOf, drawnOf, type Level, levelOf, writeParts } from '../../calibration/index.ts';
import { type Generator, samplerOf } from '../../generation/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import type { DatasetName } from '../datasets/index.ts';
import { machineLine } from '../measure/machine.ts';
import { armsOver, type Part } from './arms.ts';
import { assemble, pairsToJudge, type SetReport } from './assemble.ts';
import type { Certificate } from './certificate.ts';
import { certificateParts } from './certificate-file.ts';
import { certificateOf } from './certified.ts';
import { tableOf } from './csv.ts';
import { figuresOf } from './figures.ts';
import { writeGeneralProfiles } from './general-profiles.ts';
import { measureArms } from './measure.ts';
import type { Counts } from './memo.ts';
import { type QuestionOptions, questionsOf } from './questions.ts';
import { render } from './render.ts';

export interface ParityOptions extends QuestionOptions {
  sets: readonly DatasetName[];
  out: string;
  parts: readonly Part[];
  /** Coverage that thresholds aim at, and at which selective EM and F1 are taken, as a decimal string. */
  level: string;
  tolerance: Certificate['tolerance'];
  /** The language model whose answers are signals too, and how many of each question; undefined: none is asked. */
  sampling?: { generator: Generator; count: number } | undefined;
}

/**
 * All policies on the same questions, as text; also as JSON, one CSV table and a certificate for each set in `out`.
 */
export async function benchParity(options: ParityOptions, say: (line: string) => void): Promise<string> {
  const level = levelOf('level', options.level);
  await checkFolder(options.out);
  const scorers = await openScorers({ announce: say });
  const texts: string[] = [];
  const reports: SetReport[] = [];
  try {
    for (const set of options.sets) {
      const { report, text } = await runSet(set, options, level, scorers, say);
      reports.push(report);
      texts.push(text);
    }
  } finally {
    await scorers.close();
  }
  await writeParts(options.out, [{ name: 'parity.csv', text: csvOf(tableOf(reports)) }]);
  return [...texts, `${machineLine()}\nwritten: ${path.join(options.out, 'parity.csv')}`].join('\n\n');
}

async function runSet(
  set: DatasetName,
  options: ParityOptions,
  level: Level,
  scorers: Scorers,
  say: (line: string) => void,
): Promise<{ report: SetReport; text: string }> {
  const { about, index, examples, split, splitOf } = await questionsOf(set, options, scorers, say);
  const arms = armsOver(loadProfiles().budget).filter(({ part }) => options.parts.includes(part));
  const generalProfiles = await writeGeneralProfiles(options.out);
  const { sampling } = options;
  const sampler = sampling && samplerOf(paying(sampling.generator), scorers, { count: sampling.count });
  const started = performance.now();
  const { measured, counts, code } = await measureArms(
    { set, index, examples, arms, generalProfiles, sampler, out: options.out, say },
    scorers,
  );
  const seconds = (performance.now() - started) / 1_000;
  const pairs = pairsToJudge(measured.map(({ arm }) => arm.name));
  const { certificate, lines } = certificateOf(measured, {
    set,
    code,
    tolerance: options.tolerance,
    sampler,
    comparisons: pairs.map(([a, b]) => ({ a, b, parity: 'each' })),
  });
  const report = assemble({
    set: { name: set, about },
    arms: measured,
    splitOf,
    split: split.report,
    certificate,
    level,
    coverage: Number(level.text),
  });
  const record = { schema: 'pragaura.bench-parity/1', machine: machineLine(), seconds, counts, ...report };
  const drawn = await drawnOf(figuresOf(report));
  await writeParts(options.out, [
    ...certificateParts(certificate, lines),
    { name: `parity-${set}.json`, text: `${JSON.stringify(record)}\n` },
    ...drawn.map(({ name, svg }) => ({ name: `${name}.svg`, text: svg })),
  ]);
  const written = [`parity-${set}.json`, ...drawn.map(({ name }) => `${name}.svg`)];
  return {
    report,
    text: [
      render(report),
      '',
      `${saved(counts)}; measured in ${seconds.toFixed(0)} s`,
      `certificate: ${path.join(options.out, `parity-${set}.certificate.json`)} (tolerance: granted ${options.tolerance.granted}, spent ${options.tolerance.spent}), seal ${certificate.seal}`,
      `written: ${written.map((name) => path.join(options.out, name)).join(', ')}`,
    ].join('\n'),
  };
}

/** Answers that policies have in common are kept, and each policy pays for all of its own. */
function paying(generator: Generator): Generator {
  return {
    ...generator,
    generate: (messages, { onRequest, ...call }) => {
      onRequest?.();
      return generator.generate(messages, call);
    },
  };
}

/** Only what this run computed: what earlier runs measured costs nothing now. */
function saved(counts: Counts): string {
  const [asked, computed] = (['asked', 'computed'] as const).map((side) =>
    Object.values(counts).reduce((sum, count) => sum + count[side], 0),
  ) as [number, number];
  if (asked === 0) return 'nothing was measured anew';
  return `policies asked for ${asked} scores, ${computed} were computed (${((100 * computed) / asked).toFixed(0)} %)`;
}
