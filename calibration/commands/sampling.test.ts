/** calibrate, evaluate and generate with a language model's answers as signals: the built command line, an endpoint of our own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordsOf, runCli, runHere } from '../../cli/testing/cli.ts';
import { GeneratorServer } from '../../generation/testing/server.ts';
import type { Decision } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { CalibrationArtifact } from '../artifact/schema.ts';
import type { Labelled } from '../types.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-sampling-'));
const at = (name: string) => join(folder, name);
const index = at('index');
const dev = join(import.meta.dirname, '../../router/demo/expected.ndjson');
const labelled = recordsOf<Labelled>(readFileSync(dev, 'utf8'));
const server = new GeneratorServer();

/** Whoever knows the labels. */
const knowing = (question: string): string => {
  const label = labelled.find(({ query }) => question.includes(query.trim()));
  return label?.answers?.[0] ?? 'nobody knows';
};

beforeAll(async () => {
  await demoIndex(index);
  await server.start();
});
beforeEach(() => {
  server.replyTo = ({ body }) => ({ text: knowing(body.messages.at(-1)!.content) });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const model = (name = 'm') => ['--generator', server.url, '--model', name];
const measuring = ['--index', index, '--cache', at('cache')];
const calibrate = (out: string, ...args: string[]) =>
  runHere([
    ...['calibrate', ...measuring, '--dev', dev, '--wrong', 'f1:0.3', '--exchangeable', 'questions'],
    ...[
      '--target',
      'coverage',
      '--level',
      '.3',
      '--score',
      'learned',
      '--split',
      '2/1/1',
      '--scope',
      'global',
    ],
    ...['--out', at(out), ...args],
  ]);
const read = (name: string) => CalibrationArtifact.parse(JSON.parse(readFileSync(at(name), 'utf8')));
const decide = (command: string, calibration: string, ...args: string[]) =>
  runHere([command, '--index', index, '--calibration', at(calibration), ...args], {
    input: labelled.map(({ id, query }) => JSON.stringify({ id, query })).join('\n'),
  });

test('where they tell right from wrong the score looks at them, and needs that model from then on', async () => {
  const made = await calibrate('paying.json', ...model(), '--samples', '2');
  expect(made).toMatchObject({ code: 0 });
  expect(made.stderr).toContain('The score looks at 2 answers of m to each query');
  const { fit, score, validFor } = read('paying.json');
  expect(fit.samples).toMatchObject({ used: true });
  expect(validFor.sampler).toMatchObject({ model: 'm', count: 2 });
  expect(JSON.stringify(score)).toContain('sampleSupport');
  // Measured once: the model is not asked again.
  const asked = server.asked.length;
  expect(await calibrate('again.json', ...model(), '--samples', '2')).toMatchObject({ code: 0 });
  expect(server.asked.length).toBe(asked);

  const answered = await decide('generate', 'paying.json', ...model());
  expect(answered).toMatchObject({ code: 0 });
  const decisions = recordsOf<{ decision: Decision }>(answered.stdout).map(({ decision }) => decision);
  const told = decisions.filter(({ opinion }) => opinion !== undefined);
  expect(told.length).toBeGreaterThan(3);
  for (const { opinion, query, guarantee } of told) {
    expect(guarantee.status).toBe('CALIBRATED');
    expect(opinion!.budget.requests.spent).toBe(2);
    // Nobody has verified what it said.
    expect(JSON.stringify(opinion)).not.toContain(knowing(query));
  }
  const meanSupport = (action: Decision['action'][]) => {
    const of = told
      .filter((each) => action.includes(each.action))
      .map(({ opinion }) => opinion!.drawn!.support);
    return of.reduce((sum, support) => sum + support, 0) / of.length;
  };
  expect(meanSupport(['ANSWER'])).toBeGreaterThan(meanSupport(['ASK', 'ABSTAIN']));

  const without = await decide('route', 'paying.json');
  expect(without.code).not.toBe(0);
  expect(without.stderr).toContain('another language model');
  const other = await decide('generate', 'paying.json', ...model('another'));
  expect(other.stderr).toContain('looks at what m answers, and here is another');

  const report = [
    'evaluate',
    ...measuring,
    '--test',
    dev,
    '--set-aside',
    dev,
    '--calibration',
    at('paying.json'),
  ];
  expect(await runHere([...report, '--out', at('report'), ...model()])).toMatchObject({ code: 0 });
  const unnamed = await runCli([...report, '--out', at('none')]);
  expect(unnamed.stderr).toContain('no language model is at hand');
});

test('where they tell nothing the score does without, and nobody needs the model', async () => {
  server.replyTo = () => ({ text: 'nobody knows' });
  const made = await calibrate('idle.json', ...model('dull'), '--samples', '2');
  expect(made).toMatchObject({ code: 0 });
  expect(made.stderr).toContain('do not pay on groups left out');
  expect(read('idle.json').validFor.sampler).toBeNull();
  expect(await decide('route', 'idle.json')).toMatchObject({ code: 0 });
  const needless = ['evaluate', ...measuring, '--test', dev, '--set-aside', dev, '--out', at('needless')];
  const evaluated = await runHere([...needless, '--calibration', at('idle.json'), ...model('dull')]);
  expect(evaluated.stderr).toContain('--generator is for a calibration that looks at what it answers');
});

test('a model that is down measures nothing, and says so', async () => {
  server.replyTo = () => ({ status: 401 });
  const { code, stderr } = await calibrate('down.json', ...model('down'), '--samples', '2');
  expect(code).not.toBe(0);
  expect(stderr).toContain('answers 401');
  expect(stderr).toContain('What was measured is kept');
});

test('is for the learned score alone', async () => {
  const coverage = ['--dev', dev, '--target', 'coverage', '--level', '.3', '--out', at('formula.json')];
  const formula = await runHere(['calibrate', ...measuring, ...coverage, ...model()]);
  expect(formula.stderr).toContain('is for --score learned');
  const alone = await calibrate('alone.json', '--samples', '3');
  expect(alone.stderr).toContain('needs --generator');
  const unnamed = await calibrate('unnamed.json', '--model', 'm');
  expect(unnamed.stderr).toContain('needs --generator beside --model');
});
