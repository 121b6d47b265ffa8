/** Options from `pragaura.config.json` and from the environment, for the command that is being run. */
import { existsSync, readFileSync } from 'node:fs';
import { messageOf, PragauraError } from '../common/index.ts';

const DEFAULT_FILE = 'pragaura.config.json';
export const ENV_PREFIX = 'PRAGAURA_';
const EXAMPLE = 'Keys are the names of options, for example {"index": "my-index", "window": 8}.';
const YES = /^(1|true|yes|on)$/i;
const NO = /^(0|false|no|off)$/i;
/** Read where they act; never options of a command. */
export const NOT_OPTIONS = new Set(['config', 'debug', 'help', 'version']);

/** What is known of the options of one command; yargs' `getOptions()` has these fields. */
export interface KnownOptions {
  key: Record<string, unknown>;
  boolean: readonly string[];
  string: readonly string[];
  /** Options that are declared as lists. */
  array: readonly string[];
}

/** `budget.docsScored`, `budget.docs-scored` and PRAGAURA_BUDGET__DOCS_SCORED are one option. */
export function canonical(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

function flatten(value: unknown, path: string, into: Map<string, unknown>): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value))
      flatten(inner, path === '' ? key : `${path}.${key}`, into);
  } else {
    into.set(path, value);
  }
}

/** The value of `--config` on a command line that nobody has parsed yet. */
function configArgument(args: readonly string[]): string | undefined {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const inline = own.findLast((arg) => arg.startsWith('--config='));
  if (inline !== undefined) return inline.slice('--config='.length);
  const at = own.lastIndexOf('--config');
  return at === -1 ? undefined : own[at + 1];
}

function readConfig(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): { file: string; text: string; value: unknown } | null {
  const named = configArgument(args) ?? env[`${ENV_PREFIX}CONFIG`];
  const file = named ?? DEFAULT_FILE;
  if (named === undefined && !existsSync(DEFAULT_FILE)) return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PragauraError(
      'NOT_FOUND',
      `The configuration file ${file} cannot be read: ${messageOf(error)}`,
      {
        hint:
          named === undefined
            ? 'Make it readable, or say --config FILE to read another.'
            : `Make it readable, or name another with --config or ${ENV_PREFIX}CONFIG.`,
        cause: error,
      },
    );
  }
  try {
    return { file, text, value: JSON.parse(text.replace(/^\ufeff/, '')) };
  } catch (error) {
    throw new PragauraError('CONFIGURATION', `${file} is not JSON: ${messageOf(error)}`, {
      hint: EXAMPLE,
      cause: error,
    });
  }
}

/**
 * A setting as its option takes it: yargs would read every word but "true" as no, and leave a number where text is
 * meant. What kind of number, and which of some choices, the command says itself. `said` is how a refusal begins.
 */
function taken(value: unknown, name: string, known: KnownOptions, said: string): unknown {
  const refuse = (what: string): PragauraError =>
    new PragauraError('CONFIGURATION', `${said} ${JSON.stringify(value)}, but that option takes ${what}.`, {
      hint: EXAMPLE,
    });
  if (Array.isArray(value)) {
    if (!known.array.includes(name)) throw refuse('one value');
    return value.map((each) => taken(each, name, known, said));
  }
  if (known.boolean.includes(name)) {
    if (YES.test(String(value))) return true;
    if (NO.test(String(value))) return false;
    throw refuse('true or false');
  }
  if (known.string.includes(name)) {
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw refuse('text');
  }
  return value;
}

/** File and line of a key, that of the file alone where the key is written with escapes. */
function placeOf(key: string, { file, text }: { file: string; text: string }): string {
  const written = `${JSON.stringify(key.split('.').at(-1))}:`;
  const line = text.split('\n').findIndex((each) => each.replace(/"\s+:/g, '":').includes(written));
  return line === -1 ? file : `${file}:${line + 1}`;
}

/**
 * The options that the configuration file and the environment give to a command, by the names it knows them under;
 * the environment wins. Options of other commands are passed over, so that one file serves all of them.
 * `isOption` says whether any command has an option of that name. A variable that is empty says nothing. Throws
 * CONFIGURATION for a key of the file that no command knows and for a value that its option cannot take, NOT_FOUND for a
 * named file that is missing.
 */
export function settingsFor(
  known: KnownOptions,
  isOption: (canonicalName: string) => boolean,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Record<string, unknown> {
  const options = Object.keys(known.key).filter((name) => !NOT_OPTIONS.has(name));
  const names = new Map(options.map((name) => [canonical(name), name]));
  const settings: Record<string, unknown> = Object.create(null);

  const config = readConfig(args, env);
  if (config !== null) {
    if (typeof config.value !== 'object' || config.value === null || Array.isArray(config.value)) {
      throw new PragauraError('CONFIGURATION', `${config.file} holds no object of options.`, {
        hint: EXAMPLE,
      });
    }
    const flat = new Map<string, unknown>();
    flatten(config.value, '', flat);
    // What editors check the file by.
    flat.delete('$schema');
    for (const [key, value] of flat) {
      const name = names.get(canonical(key));
      if (name !== undefined)
        settings[name] = taken(value, name, known, `${placeOf(key, config)} sets "${key}" to`);
      else if (!isOption(canonical(key))) {
        throw new PragauraError(
          'CONFIGURATION',
          `${placeOf(key, config)} sets "${key}", which no command knows.`,
          {
            hint: EXAMPLE,
          },
        );
      }
    }
  }

  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(ENV_PREFIX) || value === undefined || value === '') continue;
    const key = canonical(variable.slice(ENV_PREFIX.length).replaceAll('__', '.'));
    const name = names.get(key);
    if (name !== undefined) settings[name] = taken(value, name, known, `${variable} is`);
  }
  return settings;
}
