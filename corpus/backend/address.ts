import { PragauraError } from '../../common/index.ts';

/** Engines that may hold an index, each with what an address looks like. */
const ENGINES = {
  opensearch: 'opensearch=https://USER:PASSWORD@HOST:9200',
  pgvector: 'pgvector=postgres://USER:PASSWORD@HOST:5432/DATABASE',
} as const;
export type EngineName = keyof typeof ENGINES;

/** Which engine `--backend` names, and where that is. Throws USAGE, in which no credentials are. */
export function engineIn(backend: string): { engine: EngineName; address: string } {
  const [, engine = '', address] = /^([a-z]+)=(.+)$/s.exec(backend) ?? [];
  if (address !== undefined && Object.hasOwn(ENGINES, engine))
    return { engine: engine as EngineName, address };
  const names = Object.keys(ENGINES).join(', ');
  throw new PragauraError('USAGE', `--backend names an engine and where it is; engines are: ${names}.`, {
    hint: `For example --backend ${Object.values(ENGINES).join(', or ')}`,
  });
}

/** The last part of the path by which an index is named: what it is called in an engine. */
export function nameOf(index: string): string {
  return index
    .replace(/[\\/]+$/, '')
    .split(/[\\/]/)
    .at(-1)!;
}
