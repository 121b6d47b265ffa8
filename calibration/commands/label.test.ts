/** label from end to end: the built command line, real models, and calibrate and evaluate on what it wrote. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere, startCli } from '../../cli/testing/cli.ts';
import type { Labelled } from '../types.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-label-'));
const at = (name: string) => join(folder, name);
const index = at('index');
const label = (out: string, args: readonly string[], input = '') =>
  runHere(['label', '--index', index, '--out', at(out), ...args], { input });
const labels = (name: string) => recordsOf<Labelled>(readFileSync(at(name), 'utf8'));

beforeAll(async () => {
  const terms = ['limescale', 'strainer', 'spout', 'thermostat', 'whistle', 'lid'];
  for (const [i, term] of terms.entries()) {
    writeFileSync(
      at(`part-${i}.html`),
      `<title>The ${term}</title><h1>The ${term}</h1><p>A ${term} is a part of kettles that is made by the million.</p>` +
        `<h2>Cleaning the ${term}</h2><ol><li>Unplug the ${term} first.</li><li>Wipe the ${term} dry.</li></ol>` +
        `<p>The ${term} weighs ${i + 20} grams.</p>`,
    );
  }
  const files = terms.map((_, i) => at(`part-${i}.html`));
  const { code, stderr } = await runHere(['index', ...files, '--out', index]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('label', () => {
  it('writes what calibrate and evaluate read as it is', async () => {
    const { code, stdout, stderr } = await label('all.ndjson', ['--n', '12', '--accept-all']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('12 labels, 12 of them as they were proposed, checked by nobody.');
    expect(labels('all.ndjson')).toHaveLength(12);

    const measured = ['--index', index, '--cache', at('cache'), '--threads', '1'];
    const calibrated = await runCli([
      ...['calibrate', ...measured, '--dev', at('all.ndjson'), '--target', 'risk', '--level', '0.3'],
      ...['--split', '1/1/1', '--out', at('c.json')],
    ]);
    expect(calibrated).toMatchObject({ code: 0 });
    expect(calibrated.stderr).toContain('12 labelled queries');
    expect(JSON.parse(readFileSync(at('c.json'), 'utf8')).wrong).toEqual({ kind: 'em', shown: true });

    const evaluated = await runHere([
      ...['evaluate', ...measured, '--test', at('all.ndjson'), '--set-aside', at('all.ndjson')],
      ...['--calibration', at('c.json'), '--out', at('report'), '--resamples', '100'],
    ]);
    expect(evaluated).toMatchObject({ code: 0 });
    expect(evaluated.stderr).toContain('4 queries measured before, 0 now');
    expect(evaluated.stdout).toContain('by what would be shown');
  });

  it('goes on with its file, a line a decision, until it has enough', async () => {
    const first = await label('typed.ndjson', ['--n', '4'], '\ns\nq\n');
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain('1 labels, 1 of them new. 3 more are wanted');
    const rest = await label('typed.ndjson', ['--n', '4'], '\nu\n\n\n\n\n');
    expect(rest.stderr).toContain('4 labels, 3 of them new.\n');
    expect(labels('typed.ndjson').filter(({ answerable }) => answerable === false).length).toBeGreaterThan(0);
    expect((await label('typed.ndjson', ['--n', '4'])).stderr).toContain('holds 4 labels already');
  });

  it('leaves a whole file when it is interrupted', async () => {
    const child = startCli(['label', '--index', index, '--out', at('cut.ndjson')]);
    child.process.stdin.write('\n\n');
    await child.until(({ stderr }) => stderr.includes('3 of 50'));
    child.process.kill('SIGINT');
    const { code, stderr } = await child.finished;
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted: 2 labels are in');
    expect(labels('cut.ndjson')).toHaveLength(2);
  });

  it('says so where nobody answers, nothing can be asked, or the file is another', async () => {
    const nobody = await label('nobody.ndjson', []);
    expect(nobody).toMatchObject({ code: 2 });
    expect(nobody.stderr).toContain('--accept-all');
    expect((await label('x.json', [])).stderr).toContain('named .ndjson');
    expect(await label('x.ndjson', ['--removed', at('none')])).toMatchObject({ code: 66 });
  });
});
