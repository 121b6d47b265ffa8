/** `pragaura classify evaluate`: every figure of the model card. */
import { ACTS, type ActDistribution } from '../../../profiles/index.ts';
import { type ActClassifier, decide } from '../act-classifier.ts';
import { softmax } from '../linear.ts';
import { readQuery } from '../text.ts';
import { bare, readDataset } from './dataset.ts';
import {
  crossValidate,
  type Embed,
  FOLDS,
  foldOf,
  type HeldOut,
  leaveWritersOut,
  prepare,
  tune,
} from './fit.ts';
import { nearDuplicateGroups } from './groups.ts';
import {
  accuracy,
  calibrationError,
  confusion,
  coreAccuracy,
  type Figure,
  macroF1,
  type Outcome,
  scoresOf,
  share,
  withInterval,
} from './metrics.ts';
import { type Example, readNfCats } from './sources.ts';

export interface EvaluateOptions {
  data: string;
  classifier: ActClassifier;
  embed: Embed;
  /** Also cross-validate, which trains ten times; else only the shipped weights are looked at. */
  crossValidation: boolean;
  /** Act of questions for a point in time in cross-validation. */
  dates: 'QUANTITY' | 'FACT';
  print: (line: string) => void;
  say: (message: string) => void;
}

/** The figures of one set of texts, as shares; intervals by groups of near-duplicates. */
interface SetFigures {
  set: 'cross-validation' | 'nf-cats/valid' | 'manuals, each writer left out';
  features: 'words only' | 'words and embedding';
  texts: number;
  fourActs: Figure;
  nineActs: Figure;
  macroF1: Figure;
  calibrationError: number;
}

/** Prints every figure, and gives those that are claimed elsewhere. */
export async function evaluate(options: EvaluateOptions): Promise<SetFigures[]> {
  const { data, classifier, embed, print, say } = options;
  const figures: SetFigures[] = [];
  const dataset = await readDataset(data, options.dates);
  if (options.crossValidation) {
    for (const [name, used] of [
      ['words only', null],
      ['words and embedding', embed],
    ] as const) {
      const prepared = await prepare(dataset.examples, used);
      const heldOut = crossValidate(prepared, (done) => say(`${name}: fold ${done + 1} of ${FOLDS}`));
      const core = heldOut.map(({ example }) => example.source);
      print(
        `\n# ${FOLDS}-fold cross-validation, near-duplicates together, dates are ${options.dates}: ${name}`,
      );
      const outcomes = crossFitted(heldOut);
      figures.push({ set: 'cross-validation', features: name, ...report(outcomes, print) });
      for (const source of new Set(core)) {
        const part = outcomes.filter((_, i) => core[i] === source);
        print(
          `${source} (${part.length}): four acts ${percent(coreAccuracy(part))}, nine acts ${percent(accuracy(part))}`,
        );
      }
      print(
        `calibration error before the temperature ${calibrationError(outcomesAt(heldOut, 1)).toFixed(4)}`,
      );
      if (options.dates === 'FACT') continue;
      const unseen = leaveWritersOut(prepared, (writer) => say(`${name}: without writer ${writer}`));
      print(`\n# questions on manuals, each writer left out: ${name}`);
      const read = outcomesAt(unseen, tune(heldOut, []).temperature);
      figures.push({ set: 'manuals, each writer left out', features: name, ...report(read, print) });
    }
  }
  if (options.dates === 'FACT') return figures;

  const rows = await readNfCats(data, 'valid');
  const groups = nearDuplicateGroups(rows.map(({ text }) => text));
  const texts = rows.map(({ text }) => text);
  const vectors = await embed(texts);
  for (const [name, used] of [
    ['words only', false],
    ['words and embedding', true],
  ] as const) {
    const predicted = texts.map((text, i) => classifier.classify(text, used ? vectors[i]! : null));
    print(`\n# nf-cats/valid, shipped weights, ${name}: acts after relabelling`);
    const relabelled = rows.flatMap((row, i) =>
      'act' in row ? [outcome((row as Example).act, predicted[i]!, groups[i]!)] : [],
    );
    figures.push({ set: 'nf-cats/valid', features: name, ...report(relabelled, print) });
    const direct = rows.map((row, i) => outcome(row.direct!, predicted[i]!, groups[i]!));
    print(
      `by the categories as the file has them (${direct.length}): nine acts ${percent(accuracy(direct))}`,
    );
  }

  print('\n# questions of SQuAD train articles that nothing was learned from: how many are taken for none');
  for (const [name, asked] of [
    ['as written', dataset.squadReport],
    ['lower case without question mark', dataset.squadReport.map(bare)],
  ] as const) {
    const embedded = await embed(asked);
    const labels = asked.map((text, i) => classifier.classify(text, embedded[i]!));
    const wrong = labels.filter(({ label }) => label === 'NOT_A_QUESTION').length;
    print(
      `${name}: ${wrong} of ${labels.length} (${percent(wrong / labels.length)}), ` +
        `confident ${percent(share(labels, ({ confident }) => confident))}`,
    );
  }
  return figures;
}

/** Every example counts as read whole. */
function said(text: string) {
  return { ...readQuery(text), degenerate: false };
}

/** Each fold is read at the temperature and thresholds of the other folds. */
function crossFitted(heldOut: readonly HeldOut[]): Outcome[] {
  const tuned = Array.from({ length: FOLDS }, (_, at) =>
    tune(
      heldOut.filter(({ example }) => foldOf(example.group) !== at),
      [],
    ),
  );
  return heldOut.map(({ example, scores }) => {
    const tuning = tuned[foldOf(example.group)]!;
    return outcome(
      example.act,
      decide(ranked(softmax(scores, tuning.temperature)), tuning, said(example.text)),
      example.group,
    );
  });
}

function outcomesAt(heldOut: readonly HeldOut[], temperature: number): Outcome[] {
  const tuning = { temperature, confidentAt: 0, refuseAt: 0 };
  return heldOut.map(({ example, scores }) =>
    outcome(
      example.act,
      decide(ranked(softmax(scores, temperature)), tuning, said(example.text)),
      example.group,
    ),
  );
}

function ranked(probabilities: Float64Array) {
  return ACTS.map((label, c) => ({ label, value: probabilities[c]! })).sort((a, b) => b.value - a.value);
}

function outcome(
  gold: Outcome['gold'],
  { label, probabilities, confident }: ActDistribution,
  group: number,
): Outcome {
  const likeliest = ACTS.reduce((best, act) => (probabilities[act] > probabilities[best] ? act : best));
  return { gold, label, likeliest, top: probabilities[likeliest], group, confident };
}

function report(
  outcomes: readonly Outcome[],
  print: (line: string) => void,
): Omit<SetFigures, 'set' | 'features'> {
  const claimed = {
    fourActs: withInterval(outcomes, coreAccuracy),
    nineActs: withInterval(outcomes, accuracy),
    macroF1: withInterval(outcomes, macroF1),
  };
  const figures: [string, Figure][] = [
    ['four acts (questions only)', claimed.fourActs],
    ['nine acts', claimed.nineActs],
    ['macro F1', claimed.macroF1],
  ];
  print(`${outcomes.length} texts`);
  for (const [name, { value, low, high }] of figures) {
    print(`${name.padEnd(28)}${percent(value)}  [${percent(low)}, ${percent(high)}]`);
  }
  print(`${'calibration error'.padEnd(28)}${calibrationError(outcomes).toFixed(4)}`);
  const sure = outcomes.filter(({ confident }) => confident);
  print(
    `${'confident'.padEnd(28)}${percent(sure.length / outcomes.length)}, of these right ${percent(accuracy(sure))}`,
  );
  for (const act of ACTS) {
    const { precision, recall, f1, support } = scoresOf(outcomes, act);
    if (support === 0) continue;
    print(
      `  ${act.padEnd(16)}precision ${percent(precision)}  recall ${percent(recall)}  F1 ${percent(f1)}  (${support})`,
    );
  }
  print(confusion(outcomes));
  return { texts: outcomes.length, ...claimed, calibrationError: calibrationError(outcomes) };
}

function percent(value: number): string {
  return `${(100 * value).toFixed(2)} %`;
}
