/** The record stream in a process of its own: signals, a reader that leaves, full disks, broken input. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Child, MAIN, recordsOf } from '../cli/testing/cli.ts';

const built = (file: string) => pathToFileURL(join(MAIN, '..', file)).href;

/** Echoes records; one with `wait` takes that many milliseconds, one with `stuck` for ever. */
const ECHO = `
import { runRecords, installSignals } from '${built('common/index.js')}';
const { signal, dispose } = installSignals();
const keepAlive = setInterval(() => {}, 1000);
try {
  const summary = await runRecords({
    input: process.stdin, output: process.stdout, window: 4, signal,
    parse: (value) => value,
    process: (item) => new Promise((resolve) => {
      process.stderr.write('begun ' + item.id + '\\n');
      if (!item.stuck) setTimeout(() => resolve(item), item.wait ?? 0);
    }),
  });
  process.stderr.write('summary ' + JSON.stringify(summary) + '\\n');
  process.exitCode = summary.exitCode;
} catch (error) {
  process.stderr.write('error ' + error.code + '\\n');
  process.exitCode = error.exitCode;
}
clearInterval(keepAlive);
dispose();
`;

const folder = mkdtempSync(join(tmpdir(), 'pragaura-ndjson-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const script = join(folder, 'echo.mjs');
writeFileSync(script, ECHO);

const echo = () => new Child(process.execPath, [script]);

function shell(line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = new Child('bash', ['-c', line], { env: { ECHO: `${process.execPath} ${script}` } });
  child.process.stdin.end();
  return child.finished;
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (name) => {
  it('stops the reading and lets what is in flight finish, in order, though the input stays open', async () => {
    const child = echo();
    child.process.stdin.write('{"id":1,"wait":400}\n{"id":2,"wait":200}\n{"id":3}\n{"id":"unfinished');
    await child.until(({ stderr }) => stderr.includes('begun 3'));
    child.process.kill(name);
    const { code, stdout, stderr } = await child.finished;
    expect(recordsOf(stdout).map((r) => r.id)).toEqual([1, 2, 3]);
    expect(code).toBe(130);
    expect(stderr).toContain(`${name}: finishing what was begun`);
    expect(stderr).toContain('"read":3,"written":3,"failed":0,"interrupted":true');
  });

  it('ends at once the second time', async () => {
    const child = echo();
    child.process.stdin.write('{"id":1}\n{"id":2,"stuck":true}\n');
    await child.until(({ stdout, stderr }) => stdout.includes('\n') && stderr.includes('begun 2'));
    child.process.kill(name);
    await child.until(({ stderr }) => stderr.includes('finishing'));
    child.process.kill(name);
    const { code, stdout } = await child.finished;
    expect(code).toBe(130);
    expect(recordsOf(stdout)).toEqual([{ id: 1 }]);
  });
});

describe('the ends of a pipe', () => {
  it('is quiet when the reader leaves an endless stream', async () => {
    const line = `yes '{"id":1}' | $ECHO | head -n 2; echo "codes \${PIPESTATUS[*]}"`;
    const { stdout, stderr } = await shell(line);
    expect(stdout).toMatch(/^\{"id":1\}\n\{"id":1\}\ncodes \d+ 0 0\n$/);
    expect(stderr).toContain('"outputClosed":true');
    expect(stderr).not.toContain('Error');
  });

  it('fails when the disk is full', async () => {
    const { code, stderr } = await shell(`echo '{"id":1}' | $ECHO > /dev/full`);
    expect(stderr).toContain('error WRITE_FAILED');
    expect(code).toBe(69);
  });

  it('fails when the input cannot be read', async () => {
    const { code, stderr } = await shell('$ECHO < /');
    expect(stderr).toContain('error NOT_FOUND');
    expect(code).toBe(66);
  });

  it('has nothing to do without input', async () => {
    const { code, stdout } = await shell('$ECHO < /dev/null');
    expect(stdout).toBe('');
    expect(code).toBe(0);
  });
});
