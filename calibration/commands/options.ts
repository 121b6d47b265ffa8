import type { Argv } from 'yargs';

/** Where commands of this room keep what was measured, so that each finds what another measured. */
export function observationsCacheOption<T>(parser: Argv<T>) {
  return parser.option('cache', {
    type: 'string',
    default: '.pragaura/observations',
    requiresArg: true,
    normalize: true,
    describe: 'Folder in which measured signals are kept between runs',
  });
}
