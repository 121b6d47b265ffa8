import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordsOf, runCli, runHere } from '../../cli/testing/cli.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-factuality-'));
const dev = path.join(folder, 'answers.ndjson');
const out = path.join(folder, 'f.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COLOURS = ['red', 'blue', 'green', 'white', 'black', 'grey'];
const TOWNS = ['Bergen', 'Tromso', 'Narvik', 'Hamar', 'Molde', 'Voss', 'Halden', 'Skien', 'Larvik', 'Moss'];

/** Sixty bridges, each with what is so and what is not. */
beforeAll(() => {
  const lines = COLOURS.flatMap((colour, i) =>
    TOWNS.map((town, j) => ({
      question: `What is known of the ${colour} bridge of ${town}?`,
      passages: [
        `The ${colour} bridge of ${town} was opened in ${1900 + i * 10 + j}. It has ${i + 2} towers.`,
      ],
      claims: [
        { text: `The ${colour} bridge of ${town} was opened in ${1900 + i * 10 + j}.`, supported: true },
        { text: `The ${colour} bridge of ${town} was painted by its mayor.`, supported: false },
      ],
      act: 'FACT',
      model: 'm',
      group: `${colour} ${town}`,
    })),
  );
  writeFileSync(dev, lines.map((line) => JSON.stringify(line)).join('\n'));
});

test('thresholds are set on labelled answers, and verify keeps to them', async () => {
  const args = ['calibrate', '--target', 'factuality', '--dev', dev, '--level', '0.1', '--out', out];
  const { code, stdout, stderr } = await runHere(args);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('With probability at least 90 %');
  const { all, validFor, splits } = JSON.parse(readFileSync(out, 'utf8'));
  expect(validFor.generators).toEqual(['m']);
  expect(splits.calibrate.documents + splits.test.documents).toBe(60);
  expect(all.threshold).toBeLessThan(0.5);
  expect(all.test.whole.k).toBeGreaterThan(0.7 * all.test.whole.of);

  const input = JSON.stringify({
    answer: 'The bridge was opened in 1932. The bridge was painted by the mayor.',
    passages: ['The bridge was opened in 1932.'],
    act: 'FACT',
  });
  const verified = await runCli(['verify', '--factuality', out], { input });
  const [record] = recordsOf<{ sentences: { label: string }[]; guarantee: object }>(verified.stdout);
  expect(record!.sentences.map(({ label }) => label)).toEqual(['supported', 'unsupported']);
  expect(record!.guarantee).toMatchObject({
    status: 'CALIBRATED',
    level: '0.1',
    act: 'FACT',
    threshold: all.threshold,
  });
});

test('what a promise about facts has no use for is refused by name', async () => {
  const base = ['calibrate', '--target', 'factuality', '--dev', dev, '--out', out];
  for (const [more, message] of [
    [[], '--level is missing'],
    [['--level', '0.1', '--delta', '0.1'], '--delta says nothing'],
    [['--level', '0.1', '--index', folder], '--index says nothing'],
    [['--level', '0.1', '--split', '40/40/20'], '--split takes two parts'],
  ] as const) {
    const { code, stderr } = await runHere([...base, ...more]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  const { code, stderr } = await runHere(['calibrate', '--target', 'risk', '--dev', dev]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Which index?')]);
});

test('answers that name no document, or their model in part, are refused', async () => {
  const file = path.join(folder, 'bad.ndjson');
  const line = { claims: [{ text: 'It is red.', supported: true }], passages: ['It is red.'], group: 'a' };
  const run = (...lines: object[]) => {
    writeFileSync(file, lines.map((each) => JSON.stringify(each)).join('\n'));
    return runHere(['calibrate', '--target', 'factuality', '--dev', file, '--level', '0.1', '--out', out]);
  };
  const { group: _, ...ungrouped } = line;
  expect((await run(line, ungrouped)).stderr).toContain('1 of 2 labelled answers');
  expect((await run(line, { ...line, model: 'm' })).stderr).toContain('name the model that wrote them');
});
