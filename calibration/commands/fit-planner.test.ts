/** calibrate --fit-planner from end to end: the built command line, real models, forty documents of a page each. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordsOf, runCli, runHere } from '../../cli/testing/cli.ts';
import { type Decision, openPlanner } from '../../router/index.ts';
import { CalibrationArtifact } from '../artifact/schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-fit-planner-cli-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = ['Ar', 'Bo', 'Ca', 'De', 'Fi', 'Go', 'Hu', 'Ja'].flatMap((start) =>
  ['vendal', 'lmont', 'rbeck', 'stow', 'nholm'].map((end) => start + end),
);
const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
/** What a document says, and what none says. */
const LABELLED = NAMES.flatMap((name, i) => [
  {
    id: `${name} told`,
    query: `When was the lighthouse of ${name} finished?`,
    answers: [String(1801 + i)],
    group: name,
  },
  {
    id: `${name} not told`,
    query: `Which composer spent a winter in ${name}?`,
    answerable: false,
    group: name,
  },
]);

const calibrate = (...args: string[]) =>
  runHere([
    ...['calibrate', '--index', at('index'), '--cache', at('cache'), '--dev', at('labelled.ndjson')],
    ...['--split', '60/20/20', '--exchangeable', 'questions', ...args],
  ]);
const route = (...args: string[]) =>
  runHere(['route', '--index', at('index'), ...args], {
    input: lines(LABELLED.slice(0, 8).map(({ id, query }) => ({ id, query }))),
  });

beforeAll(async () => {
  mkdirSync(at('documents'));
  for (const [i, name] of NAMES.entries()) {
    writeFileSync(
      at(`documents/${name}.md`),
      `# ${name}\n\nThe lighthouse of ${name} was finished in ${1801 + i}. It is ${20 + i} metres high.\n`,
    );
  }
  writeFileSync(at('labelled.ndjson'), lines(LABELLED));
  const { code, stderr } = await runHere(['index', at('documents'), '--out', at('index')]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});

it('fits a planner on the first part, shows it on the last, and the router decides by it', async () => {
  const { code, stdout, stderr } = await calibrate('--fit-planner', at('planner.json'));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  // The second part waits for thresholds.
  expect(stderr).toMatch(/; 64 now in /);
  expect(stdout).toContain('fitted on 48 queries of 24 documents (ANSWER 24, ASK 0, ABSTAIN 24)');
  expect(stdout).toContain('Test part, 16 queries of 8 documents: ANSWER 8, ABSTAIN 8');
  expect(stdout).toMatch(/^this planner: ABSTAIN +\d+ +\d\.\d{3}/m);
  const planner = await openPlanner(at('planner.json'));
  expect(planner.fitted.on!.models).toHaveProperty('rerank');

  const routed = await route('--decider', 'planner', '--planner', at('planner.json'));
  expect(routed).toMatchObject({ code: 0 });
  const right = recordsOf<Decision>(routed.stdout).filter(
    ({ action, versions }, i) =>
      versions.planner === planner.hash && (action === 'ANSWER') === (i % 2 === 0) && action !== 'ASK',
  );
  expect(right.length).toBeGreaterThanOrEqual(7);
  const doctor = await runCli(['doctor', '--index', at('index'), '--planner', at('planner.json')]);
  expect(doctor.stdout).toContain(`fitted on 48 queries, ${planner.hash.slice(0, 12)}`);
});

it('fits the same one again, with thresholds that hold for it and for no other', async () => {
  const before = readFileSync(at('planner.json'), 'utf8');
  const made = await calibrate(
    ...['--fit-planner', at('planner.json'), '--out', at('c.json')],
    ...['--target', 'coverage', '--level', '0.2', '--json'],
  );
  expect(made).toMatchObject({ code: 0 });
  expect(made.stderr).toContain('64 examples measured before; 16 now in ');
  expect(made.stderr).not.toContain('Take care');
  expect(readFileSync(at('planner.json'), 'utf8')).toBe(before);
  const { hash } = await openPlanner(at('planner.json'));
  const artifact = CalibrationArtifact.parse(JSON.parse(readFileSync(at('c.json'), 'utf8')));
  expect(artifact).toMatchObject({ score: { kind: 'planner', planner: hash }, validFor: { planner: hash } });
  expect(artifact.sentence).not.toContain('only if the planner');
  expect(recordsOf<object>(made.stdout)[0]).toMatchObject({
    schema: 'pragaura.calibration-summary/1',
    planner: { hash },
  });

  const own = await route('--calibration', at('c.json'), '--planner', at('planner.json'));
  expect(own).toMatchObject({ code: 0 });
  expect(recordsOf<Decision>(own.stdout)[0]!.guarantee.status).toBe('CALIBRATED');
  const shipped = await route('--calibration', at('c.json'));
  expect(shipped.code).toBe(78);
  expect(shipped.stderr).toContain('another planner');
});

it('is refused as a planner that comes fitted, for thresholds on the same queries', async () => {
  const { code, stderr } = await calibrate(
    ...['--score', 'planner', '--planner', at('planner.json'), '--out', at('d.json')],
    ...['--target', 'coverage', '--level', '0.2'],
  );
  expect(code).toBe(65);
  expect(stderr).toContain('labelled queries share a group, a document or a question with what the planner');
  expect(stderr).toContain('Say --fit-planner FILE');
});
