import type { CommandModule } from 'yargs';

interface ListArguments {
  format: 'text' | 'json' | 'markdown' | 'schema';
}

/** `pragaura settings`, about the commands that `commands` brings. */
export const settingsCommand = (commands: () => Promise<readonly CommandModule[]>): CommandModule =>
  ({
    builder: (parser) =>
      parser
        .option('format', {
          choices: ['text', 'json', 'markdown', 'schema'] as const,
          default: 'text' as const,
          requiresArg: true,
          describe:
            'For people, for programs, for docs/settings.md, or for editors (JSON Schema of the file)',
        })
        .usage('Usage: $0 settings [--format FORMAT]')
        .example([
          ['$0 settings', 'What can be set, and where'],
          [
            '$0 settings --format schema > pragaura.config.schema.json',
            'For "$schema" in pragaura.config.json',
          ],
        ]),
    handler: async ({ format }) => {
      const { settingList, settingsPage, settingsSchema, settingsText } = await import('./setting-list.ts');
      const settings = settingList(await commands());
      const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
      if (format === 'schema') process.stdout.write(json(settingsSchema(settings)));
      else if (format === 'json') process.stdout.write(json({ schema: 'pragaura.settings/1', settings }));
      else if (format === 'markdown') process.stdout.write(settingsPage(settings));
      else process.stdout.write(settingsText(settings));
    },
  }) satisfies CommandModule<object, ListArguments> as unknown as CommandModule;
