/** Every setting of every command, out of the options that the commands declare: for people, docs and editors. */
import type { CommandModule } from 'yargs';
import { ENV_PREFIX, type KnownOptions, NOT_OPTIONS } from './configuration.ts';
import { collected, nameOf } from './configured.ts';

/** A setting: what an option declares, and the commands that declare it alike. */
export interface Setting {
  /** Of the option, and of the key in the configuration file; a dot leads into an object. */
  name: string;
  /** The environment variable. */
  variable: string;
  type: 'text' | 'number' | 'yes or no' | 'list';
  choices: readonly string[] | null;
  /** In words where it is no plain value; null: none. */
  default: string | null;
  description: string;
  commands: string[];
}

/** What yargs keeps of options beside what its types say. */
interface Declared extends KnownOptions {
  number: readonly string[];
  hiddenOptions: readonly string[];
  alias: Record<string, readonly string[]>;
  default: Record<string, unknown>;
  choices: Record<string, readonly unknown[]>;
}

interface Internals {
  getOptions(): Declared;
  getGroups(): Record<string, readonly string[]>;
  getInternalMethods(): { getUsageInstance(): { getDescriptions(): Record<string, string | undefined> } };
}

/** The default that a description says in words. */
const SAID = /\s*\[default: ([^\]]*)\]/;

/** Settings in the order of their names; the same one of several commands once. */
export function settingList(commands: readonly CommandModule[]): Setting[] {
  const found = new Map<string, Setting>();
  const look = (command: CommandModule, path: string) => {
    const { parser, inner } = collected(command);
    for (const setting of declared(parser as unknown as Internals)) {
      const key = JSON.stringify(setting);
      const known = found.get(key);
      if (known === undefined) found.set(key, { ...setting, commands: [path] });
      else known.commands.push(path);
    }
    for (const each of inner) look(each, `${path} ${nameOf(each)}`);
  };
  for (const command of commands) look(command, nameOf(command));
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function declared(parser: Internals): Omit<Setting, 'commands'>[] {
  const options = parser.getOptions();
  const descriptions = parser.getInternalMethods().getUsageInstance().getDescriptions();
  const left = new Set([
    ...NOT_OPTIONS,
    ...options.hiddenOptions,
    ...Object.values(options.alias).flat(),
    ...(parser.getGroups()['Positionals:'] ?? []),
  ]);
  const names = Object.keys(options.key).filter((name) => !left.has(name));
  return names.map((name) => {
    const text = (descriptions[name] ?? '').replace('__yargsString__:', '');
    const value = options.default[name];
    return {
      name,
      variable: variableOf(name),
      type: typeOf(name, options),
      choices: options.choices[name]?.map(String) ?? null,
      default: SAID.exec(text)?.[1] ?? (value === undefined ? null : String(value)),
      description: text.replace(SAID, ''),
    };
  });
}

function typeOf(name: string, { array, boolean, number }: Declared): Setting['type'] {
  if (array.includes(name)) return 'list';
  if (boolean.includes(name)) return 'yes or no';
  return number.includes(name) ? 'number' : 'text';
}

function variableOf(name: string): string {
  const parts = name.split('.').map((part) => part.replace(/[A-Z]/g, '_$&').replaceAll('-', '_'));
  return `${ENV_PREFIX}${parts.join('__').toUpperCase()}`;
}

/** For a terminal: three lines a setting. */
export function settingsText(settings: readonly Setting[]): string {
  return settings
    .map(({ name, variable, type, choices, default: usual, description, commands }) => {
      const takes = choices?.join(' | ') ?? type;
      const unless = usual === null ? '' : `, default ${usual}`;
      return `--${name}  ${variable}  (${takes}${unless})\n    ${description}\n    of: ${commands.join(', ')}\n`;
    })
    .join('');
}

/** The page of all settings but those of benchmarks alone, as it stands in `docs/settings.md`. */
export function settingsPage(all: readonly Setting[]): string {
  const settings = all
    .map((each) => ({ ...each, commands: each.commands.filter((name) => !name.startsWith('bench')) }))
    .filter(({ commands }) => commands.length > 0);
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = settings.map(({ name, variable, type, choices, default: usual, description, commands }) =>
    [
      `\`--${name}\``,
      `\`${variable}\``,
      choices?.map((each) => `\`${each}\``).join(', ') ?? type,
      cell(usual ?? ''),
      cell(description),
      commands.join(', '),
    ].join(' | '),
  );
  return [
    '# Settings',
    '',
    'Every option of every command but the benchmarks, written by `pragaura settings --format markdown`; a test holds this page to it. The key in `pragaura.config.json` is the name without its dashes in front, a dot leading into an object (`{"budget": {"docsScored": 40}}`). The command line wins, then the environment, then the file. For editors there is a [JSON Schema](pragaura.config.schema.json). How settings are used: [Operations](operations.md).',
    '',
    '| option | environment | takes | default | what it does | of |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

/** A number is text to an option that reads decimals itself. */
const JSON_TYPES = {
  text: ['string', 'number'],
  number: 'number',
  'yes or no': 'boolean',
  list: 'array',
} as const;

/** JSON Schema of the configuration file. A setting that commands declare differently may be what any of them takes. */
export function settingsSchema(settings: readonly Setting[]): object {
  const properties: Record<string, Schema> = { $schema: { type: 'string' } };
  for (const name of new Set(settings.map((each) => each.name))) {
    const own = settings.filter((each) => each.name === name);
    const shapes = new Map(own.map(shapeOf).map((shape) => [JSON.stringify(shape), shape]));
    const [shape] = shapes.values();
    const path = name.split('.');
    let at = properties;
    for (const part of path.slice(0, -1)) {
      at[part] ??= { type: 'object', additionalProperties: false, properties: {} };
      at = at[part].properties!;
    }
    at[path.at(-1)!] =
      shapes.size === 1 ? { ...shape, description: own[0]!.description } : { anyOf: [...shapes.values()] };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'pragaura.config.json',
    type: 'object',
    additionalProperties: false,
    properties,
  };
}

function shapeOf({ type, choices }: Setting): Schema {
  return {
    ...(choices === null ? { type: JSON_TYPES[type] } : { enum: choices }),
    ...(type === 'list' ? { items: { type: 'string' } } : {}),
  };
}

interface Schema {
  type?: string | readonly string[];
  enum?: readonly string[];
  items?: Schema;
  anyOf?: Schema[];
  description?: string;
  additionalProperties?: boolean;
  properties?: Record<string, Schema>;
}
