import type { Argv, CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { SCOPES, type Scope } from '../scopes.ts';
import { KEYS_OPTION } from './serve.ts';

interface KeysArguments {
  keys: string;
}

interface CreateArguments extends KeysArguments {
  name: string;
  scopes: Scope[];
  collections: string[] | undefined;
  perMinute: number | undefined;
  days: number;
}

const create: CommandModule<object, CreateArguments> = {
  command: 'create',
  describe: 'Make a key and print it, once: only its hash is kept',
  builder: (parser) =>
    parser
      .option('name', {
        type: 'string',
        requiresArg: true,
        demandOption: 'Whose is it? Say --name NAME.',
        describe: 'Whose key it is, for those who read the list',
      })
      .option('scopes', {
        array: true,
        choices: SCOPES,
        default: ['decide', 'retrieve', 'score'] as Scope[],
        describe: 'What it lets its holder do',
      })
      .option('collections', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'Names of the collections that it opens [default: all]',
      })
      .option('per-minute', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('per-minute', 1, 1_000_000),
        describe: 'Queries a minute [default: as the server has it]',
      })
      .option('days', {
        type: 'number',
        default: 90,
        requiresArg: true,
        coerce: wholeNumber('days', 0, 36_500),
        describe: 'Days until it expires; 0: never',
      })
      .usage('Usage: $0 keys create --keys FILE --name NAME')
      .example([
        ['$0 keys create --keys keys.json --name intranet', 'A key for 90 days'],
        ['$0 keys create --keys keys.json --name prometheus --scopes metrics --days 0', 'For a scraper'],
      ]) as never,
  handler: async (args) => {
    const { createKey } = await import('../keys.ts');
    const { key, text } = await createKey(args.keys, {
      name: args.name,
      scopes: args.scopes,
      collections: args.collections ?? null,
      perMinute: args.perMinute ?? null,
      days: args.days === 0 ? null : args.days,
    });
    shown(key, text);
  },
};

const listCommand: CommandModule<object, KeysArguments & { json: boolean }> = {
  command: 'list',
  describe: 'The keys of a file: ids, names, what they open and until when',
  builder: (parser) =>
    parser
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print them as JSON, without their hashes',
      })
      .usage('Usage: $0 keys list --keys FILE')
      .example([['$0 keys list --keys keys.json', 'Who may ask?']]) as never,
  handler: async ({ keys, json }) => {
    const { readKeys, stateOf } = await import('../keys.ts');
    const { columns, plainLine } = await import('../../common/index.ts');
    const rows = readKeys(keys).map(({ sha256: _, ...key }) => ({
      ...key,
      state: stateOf({ ...key, sha256: '' }),
    }));
    if (json) {
      process.stdout.write(`${JSON.stringify({ schema: 'pragaura.key-list/1', keys: rows })}\n`);
      return;
    }
    const table = rows.map(({ id, state, expires, scopes, collections, perMinute, name }) => [
      id,
      state,
      expires?.slice(0, 10) ?? 'never expires',
      scopes.join(','),
      collections?.join(',') ?? 'all collections',
      perMinute === null ? '-' : `${perMinute}/min`,
      plainLine(name),
    ]);
    process.stdout.write(table.length === 0 ? '' : `${columns(table, () => true).join('\n')}\n`);
  },
};

const revoke: CommandModule<object, KeysArguments & { id: string }> = {
  command: 'revoke <id>',
  describe: 'End a key: servers refuse it from the next request on, and streams that it opened',
  builder: (parser) =>
    parser
      .positional('id', { type: 'string', describe: 'Id of the key' })
      .usage('Usage: $0 keys revoke ID --keys FILE')
      .example([['$0 keys revoke 0123456789ab --keys keys.json', 'It leaked']]) as never,
  handler: async ({ keys, id }) => {
    const { revokeKey } = await import('../keys.ts');
    const key = await revokeKey(keys, id);
    process.stderr.write(`pragaura: ${key.id} is revoked since ${key.revoked}.\n`);
  },
};

const rotate: CommandModule<object, KeysArguments & { id: string; overlap: number }> = {
  command: 'rotate <id>',
  describe: 'A new key in the place of another one, which goes on for a while',
  builder: (parser) =>
    parser
      .positional('id', { type: 'string', describe: 'Id of the key' })
      .option('overlap', {
        type: 'number',
        default: 24,
        requiresArg: true,
        coerce: wholeNumber('overlap', 0, 8760),
        describe: 'Hours for which the old one goes on',
      })
      .usage('Usage: $0 keys rotate ID --keys FILE')
      .example([['$0 keys rotate 0123456789ab --keys keys.json', 'With a day to change over']]) as never,
  handler: async ({ keys, id, overlap }) => {
    const { rotateKey } = await import('../keys.ts');
    const { key, text } = await rotateKey(keys, id, overlap * 3_600_000);
    shown(key, text);
  },
};

function shown({ id, expires }: { id: string; expires: string | null }, text: string): void {
  process.stdout.write(`${text}\n`);
  process.stderr.write(
    `pragaura: ${id}, ${expires === null ? 'for good' : `until ${expires}`}. It is shown this once.\n`,
  );
}

export const keysCommand: CommandModule = {
  builder: (parser: Argv) =>
    parser
      .option('keys', { ...KEYS_OPTION, demandOption: 'Which file of keys? Say --keys FILE.' })
      .command(create as unknown as CommandModule)
      .command(listCommand as unknown as CommandModule)
      .command(revoke as unknown as CommandModule)
      .command(rotate as unknown as CommandModule)
      .demandCommand(1, 'create, list, revoke or rotate?'),
  handler() {},
};
