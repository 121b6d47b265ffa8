/** What the README's first command runs: index the demo collection, then ask it what shows all three actions. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../main.js', import.meta.url));
const documents = join(dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson')), 'documents');
const index = join('.pragaura', 'demo');

const QUESTIONS = [
  'Up to which wind speed may technicians climb a mast?',
  'What does ADR-0050 say about caching?',
  'How long are raw observations kept?',
  'How many weeks of parental leave do employees get?',
];

/** Shows a command as a user would type it, runs it, and stops at the first failure. */
function run(...args: string[]): void {
  const shown = args.map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(' ');
  process.stdout.write(`\n$ pragaura ${shown}\n`);
  const { status } = spawnSync(process.execPath, [main, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run('index', relative('.', documents), '--out', index);
for (const question of QUESTIONS) run('ask', question, '--index', index);
process.stdout.write(
  '\nAsk your own: node dist/main.js ask "…" --index .pragaura/demo   (--explain shows how it came about)\n',
);
