/** The package as it is installed: what is in it, and that this is enough. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Child, type Finished } from './cli/testing/cli.ts';
import { packedFiles, ROOT } from './common/testing/packed.ts';

const PACKAGE = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  bin: { pragaura: string };
  exports: Record<string, string | Record<string, string>>;
  imports: Record<string, string>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};
const files = packedFiles();

describe('the package', () => {
  it('leaves out benchmarks, faults, proofs, training and tests', () => {
    const others =
      /^(?:dist\/)?(?:bench|workers\/deploy)\/|^scorers\/training\/|\/(?:faults|validity|testing|run)\/|\.(?:test\.\w+|py|map)$/;
    expect(files.filter((file) => others.test(file)).sort()).toEqual([
      // Pages lead to these.
      'scorers/training/README.md',
      'scorers/training/notes/experiments.md',
      'workers/deploy/pragaura-worker@.service',
    ]);
  });

  it('has nothing in dist that no source makes', () => {
    const built = files.filter((file) => file.startsWith('dist/'));
    expect(built.length).toBeGreaterThan(100);
    const sourcesOf = (file: string) => {
      const source = file.slice('dist/'.length);
      return ['.ts', '.tsx'].map((end) => source.replace(/(?:\.d\.ts|\.js)$/, end));
    };
    const hasSource = (file: string) => sourcesOf(file).some((one) => existsSync(path.join(ROOT, one)));
    expect(built.filter((file) => !hasSource(file))).toEqual([]);
    expect(built.filter((file) => file.startsWith('dist/page/'))).toHaveLength(3);
  });

  it('has what its package.json names', () => {
    const targets = Object.values(PACKAGE.exports).flatMap((to) =>
      typeof to === 'string' ? to : Object.values(to),
    );
    const named = [PACKAGE.bin.pragaura, ...targets].map((file) => path.posix.normalize(file));
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
    const folders = Object.values(PACKAGE.imports).map((to) => path.posix.normalize(to).replace(/\*$/, ''));
    expect(folders.filter((folder) => !files.some((file) => file.startsWith(folder)))).toEqual([]);
  });

  it('has what its programs import, and depends on the rest', () => {
    const packages = [...Object.keys({ ...PACKAGE.dependencies, ...PACKAGE.peerDependencies }), 'pragaura'];
    const known = (file: string, to: string): boolean => {
      if (to.startsWith('.')) return files.includes(path.posix.join(path.posix.dirname(file), to));
      return /^(?:node:|#)/.test(to) || packages.some((name) => to === name || to.startsWith(`${name}/`));
    };
    const imports = files
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) => {
        const text = readFileSync(path.join(ROOT, file), 'utf8');
        const names = text.matchAll(
          /^(?:import|export)\s(?:[^;'"]*\sfrom\s)?'([^']+)'|\b(?:import|resolve|require)\('([^']+)'\)/gm,
        );
        return [...names].map(([, from, lazily]) => ({ file, to: from ?? lazily! }));
      });
    expect(imports.length).toBeGreaterThan(1000);
    expect(imports.filter(({ file, to }) => !known(file, to))).toEqual([
      { file: 'dist/commands.js', to: './bench/commands/bench.js' },
      { file: 'dist/commands.js', to: './bench/commands/repro.js' },
    ]);
  });
});

describe('an installed package', () => {
  let folder: string;
  const start = (...args: string[]): Child => {
    const main = path.join(folder, 'package', PACKAGE.bin.pragaura);
    const child = new Child(process.execPath, [main, ...args], { cwd: folder });
    child.process.stdin.end();
    return child;
  };
  const run = (...args: string[]): Promise<Finished> => start(...args).finished;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pragaura-package-'));
    for (const file of files) {
      const to = path.join(folder, 'package', file);
      mkdirSync(path.dirname(to), { recursive: true });
      copyFileSync(path.join(ROOT, file), to);
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is in order, indexes and answers, with either decider', async () => {
    expect(await run('doctor')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('FAIL') });
    const documents = path.join('package', 'router', 'demo', 'documents', 'handbook');
    expect((await run('index', documents, '--out', 'demo')).code).toBe(0);
    const question = 'Up to which wind speed may technicians climb a mast?';
    for (const decider of ['thresholds', 'planner']) {
      const { code, stdout } = await run('ask', question, '--index', 'demo', '--decider', decider, '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        action: 'ANSWER',
        answer: { text: expect.stringContaining('10 metres per second') },
      });
    }
  });

  it('serves, with its page', async () => {
    const documents = path.join('package', 'router', 'demo', 'documents', 'handbook');
    expect((await run('index', documents, '--out', 'served')).code).toBe(0);
    const server = start('serve', '--index', 'served', '--port', '0');
    await server.until(({ stdout }) => stdout.endsWith('\n'));
    const url = server.stdout.trim();
    for (const file of ['', '/page/page.js', '/page/page.css', '/openapi.json']) {
      expect((await fetch(`${url}${file}`)).status).toBe(200);
    }
    const response = await fetch(`${url}/v1/decisions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'Up to which wind speed may technicians climb a mast?' }),
    });
    expect(await response.json()).toMatchObject({ action: 'ANSWER' });
    server.process.kill('SIGTERM');
    expect((await server.finished).code).toBe(0);
  });

  it('says where benchmarks are, and does not list them', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('pragaura ask');
    expect(stdout).not.toMatch(/pragaura (?:bench|repro)/);
    for (const args of [['bench'], ['bench', 'query', '--n', '3'], ['repro', '--help']]) {
      expect(await run(...args)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^pragaura: "pragaura (?:bench|repro)" is not .*\n {2}Benchmarks come with/,
        ),
      });
    }
  });
});
