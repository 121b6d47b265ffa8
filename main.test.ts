/** The front door as its users meet it: the built command in a process of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MAIN, runCli, runHere, runShell } from './cli/testing/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-main-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const COMMANDS = ['index', 'ask', 'route', 'retrieve', 'classify', 'score', 'doctor'];

describe('help', () => {
  it('lists every command on standard output', async () => {
    const { code, stdout, stderr } = await runCli(['--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}pragaura ${name}\\b`, 'm'));
  });

  it.each(COMMANDS)('of %s has a usage line, an explanation and examples', async (name) => {
    const { code, stdout } = await runCli([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: pragaura ${name}`));
    expect(stdout).toContain('--config');
    expect(stdout).toMatch(/\nExamples:\n/);
  });

  it('gives the version and a completion script', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect((await runCli(['--version'])).stdout).toBe(`${version}\n`);
    expect((await runCli(['completion'])).stdout).toContain('complete -o bashdefault');
  });
});

describe('the start', () => {
  /** Files and packages that are loaded before any command runs. */
  function loadedBy(file: string, seen = new Set<string>()): Set<string> {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const [, from] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s(?:[^;'"]*\sfrom\s)?['"]([^'"]+)['"]/gms,
    )) {
      if (from!.startsWith('.')) loadedBy(join(file, '..', from!), seen);
      else seen.add(from!);
    }
    return seen;
  }

  const packages = (loaded: Iterable<string>) =>
    [...loaded].filter((name) => !isAbsolute(name) && !isBuiltin(name));

  it('needs no package and no command for the help: yargs lies in the build', () => {
    const loaded = [...loadedBy(MAIN)];
    expect(packages(loaded)).toEqual([]);
    expect(loaded.length).toBeGreaterThan(15);
    expect(loaded.filter((name) => dirname(name).endsWith('commands'))).toEqual([]);
  });

  it('needs no package for what a command takes: that comes when it runs', () => {
    const file = join(MAIN, '..', 'commands.js');
    const modules = [
      ...readFileSync(file, 'utf8').matchAll(/load: async \(\) => \(await import\('([^']+)'\)/g),
    ];
    expect(modules.length).toBeGreaterThan(15);
    for (const [, from] of modules) expect(packages(loadedBy(join(file, '..', from!)))).toEqual([]);
  });
});

describe('a mistake on the command line', () => {
  it.each([
    ['no command', [], 'Which command?'],
    ['an unknown command', ['rout'], 'Did you mean route?'],
    ['an unknown option', ['route', '--index', 'x', '--indx', 'y'], 'Unknown argument: indx'],
    ['an option of another command', ['doctor', '--window', '3'], 'Unknown argument: window'],
    ['no index', ['route'], 'pragaura index PATH… --out DIR'],
    ['an option without its value', ['route', '--index'], 'Not enough arguments following: index'],
    ['a window of nothing', ['route', '--index', 'x', '--window', '0'], 'from 1 to 4096'],
    ['a window twice', ['route', '--index', 'x', '--window', '1', '--window', '2'], 'one whole number'],
    ['a window in words', ['route', '--index', 'x', '--window', 'many'], 'one whole number'],
    [
      'a unit twice',
      ['route', '--index', 'x', '--budget.rerankPairs', '1', '--budget.rerank-pairs', '2'],
      'one whole number',
    ],
    ['an unknown unit', ['route', '--index', 'x', '--budget.docs', '1'], 'budget.docs'],
    ['a negative budget', ['ask', 'x', '--index', 'x', '--budget.ms=-5'], 'from 1 to 86400000'],
    ['an unknown policy', ['route', '--index', 'x', '--policy', 'best'], 'Choices: "act", "uniform"'],
    ['a polluting option', ['route', '--index', 'x', '--__proto__.polluted', '1'], 'Unknown argument'],
  ])(
    '%s: exit code 2, usage on standard error, no stack, nothing on standard output',
    async (_, args, said) => {
      const { code, stdout, stderr } = await runHere(args);
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toContain(said);
      expect(stderr).toMatch(/^pragaura: /);
      expect(stderr).toMatch(/--help says more\.\n$/);
      expect(stderr).not.toMatch(/\n\s+at /);
    },
  );

  it('cannot send an escape to the terminal', async () => {
    const { stderr } = await runHere(['\u001b]0;x\u0007']);
    expect(stderr).not.toContain('\u001b');
  });
});

describe('settings', () => {
  const inFolder = (config: unknown) => {
    const cwd = mkdtempSync(join(folder, 'cwd-'));
    writeFileSync(join(cwd, 'pragaura.config.json'), JSON.stringify(config));
    return cwd;
  };

  it('of the working folder are read, and yield to the environment and the command line', async () => {
    const cwd = inFolder({ index: 'nowhere', window: 0 });
    expect((await runHere(['route'], { cwd })).stderr).toContain('--window takes');
    const env = { PRAGAURA_WINDOW: '4' };
    expect((await runHere(['route'], { cwd, env })).stderr).toContain('nowhere');
    expect((await runHere(['route', '--index', 'elsewhere'], { cwd, env })).stderr).toContain('elsewhere');
  });

  it('reach commands within commands, and are no matter of the others', async () => {
    const cwd = inFolder({ out: 'float', olderThan: 3 });
    const dequantize = ['models', 'dequantize', 'nowhere.onnx'];
    expect(await runHere(dequantize, { cwd })).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('nowhere.onnx'),
    });
    expect((await runHere(dequantize, { env: { PRAGAURA_OUT: 'float' } })).code).toBe(66);
    expect((await runHere(dequantize)).code).toBe(2);
    expect((await runHere(['route', '--index', 'elsewhere'], { cwd })).stderr).toContain('elsewhere');
  });

  it('of another type than the option end in 78, with file or variable and name', async () => {
    const cwd = inFolder({ explain: 'perhaps' });
    expect(await runHere(['ask', 'x', '--index', 'x'], { cwd })).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('pragaura.config.json:1 sets "explain" to "perhaps"'),
    });
    const env = { PRAGAURA_EXPLAIN: 'y' };
    expect(await runHere(['ask', 'x', '--index', 'x'], { env })).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('PRAGAURA_EXPLAIN is "y"'),
    });
  });

  it('that no command knows end in 78', async () => {
    const { code, stderr } = await runHere(['route'], { cwd: inFolder({ indx: 'x' }) });
    expect(code).toBe(78);
    expect(stderr).toContain('pragaura.config.json:1 sets "indx"');
  });

  it('of other commands do not matter', async () => {
    const cwd = inFolder({ window: 3 });
    const env = { PRAGAURA_INDEX: 'x', PRAGAURA_WINDOW: 'y', PRAGAURA_UNHEARD_OF: 'z' };
    expect((await runHere(['doctor', '--help'], { cwd, env })).code).toBe(0);
  });
});

describe('an index that cannot be used', () => {
  it.each(['ask', 'route'])('ends %s in 66 and names the command that mends it', async (name) => {
    const { code, stdout, stderr } = await runHere([name, '--index', join(folder, 'none')], {
      input: '{"query":"x"}\n',
    });
    expect(code).toBe(66);
    expect(stdout).toBe('');
    expect(stderr).toContain('pragaura index');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('shows a stack to those who ask for it', async () => {
    const { stderr } = await runCli(['ask', 'x', '--index', join(folder, 'none')], {
      env: { PRAGAURA_DEBUG: '1' },
    });
    expect(stderr).toMatch(/\n\s+at /);
  });
});

describe('standard output', () => {
  it('that is full is a failure, one that nobody reads is not', async () => {
    expect(await runShell('$PRAGAURA --help > /dev/full')).toMatchObject({
      code: 69,
      stderr: expect.stringContaining('cannot be written'),
    });
    const pair = '{"premise":"Ada sleeps.","hypothesis":"Ada is awake."}';
    const full = await runShell(`echo '${pair}' | $PRAGAURA score nli > /dev/full`);
    expect(full.code).toBe(69);
    expect(full.stderr.match(/cannot be written/g)).toHaveLength(1);
    expect(full.stderr).toContain('Is the disk full?');
    expect(await runShell('$PRAGAURA --help | head -c 1 > /dev/null; exit $PIPESTATUS')).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

it('takes a command line of hundreds of names', async () => {
  const names = Array.from({ length: 600 }, (_, i) => join(folder, `a-rather-long-name-of-a-file-${i}.md`));
  for (const [i, name] of names.entries()) writeFileSync(name, `The lamp in hall ${i} is lit.\n`);
  const { code, stderr } = await runCli(['index', ...names, '--out', join(folder, 'many'), '--no-wait']);
  expect(stderr).toContain('600 documents');
  expect(code).toBe(0);
});
