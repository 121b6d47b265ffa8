/** Other processes that use a store at the same time. They run what was built, not these sources. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = process.env.TEST_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url));
const built = pathToFileURL(join(dist, 'conversation/defaults/index.js')).href;

export interface Child {
  /** Resolves with what it has written so far as soon as that holds the text. */
  until(text: string): Promise<string>;
  kill(): void;
  finished: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

/** Runs a script of ours in a process of its own; `openDefaults` is there, and `args` are its `process.argv`. */
export function inChild(script: string, args: readonly string[]): Child {
  const source = `import { openDefaults } from ${JSON.stringify(built)};\nconst args = process.argv.slice(1);\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, '--', ...args]);
  let [stdout, stderr] = ['', ''];
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const finished: Child['finished'] = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    until: (text) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          if (stdout.includes(text)) resolve(stdout);
        };
        watchers.add(watch);
        watch();
        void finished.then((end) => reject(new Error(`ended with ${end.code} before "${text}": ${stderr}`)));
      }),
    kill: () => child.kill('SIGKILL'),
    finished,
  };
}

/** Votes `args[2]` times for the value `args[1]` in the store `args[0]`, and says so after each vote. */
export const VOTER = `
const store = await openDefaults({ file: args[0], create: true, waitMs: 60000 });
for (let n = 1; n <= Number(args[2]); n++) {
  store.learn({ tenant: 't', need: { field: 'f' }, conditions: {}, signal: 'explicit_yes', value: args[1], at: n });
  process.stdout.write('voted ' + n + '\\n');
}
store.close();
`;
