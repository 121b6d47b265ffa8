/** What is known of the data sets that figures are of, and whether the files at hand are those. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { isSystemError } from '../../common/index.ts';
import { parseYaml } from '../measure/yaml-file.ts';

const text = z.string().min(1).max(200);

const DataFile = z.strictObject({
  /** Below the data folder. */
  file: text,
  /** How many of what. */
  n: text,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const DataSet = z.strictObject({
  name: text,
  /** As those who publish it state it. */
  licence: text,
  files: z.array(DataFile).min(1),
});
export type DataSet = z.infer<typeof DataSet>;

const Sets = z.strictObject({ schema: z.literal('pragaura.data/1'), sets: z.array(DataSet).min(1) });

/** The sets of the folder of matrices `dir`; none where it has no such file. Throws CONFIGURATION for one that is damaged. */
export async function loadDataSets(dir: string): Promise<DataSet[]> {
  const file = path.join(dir, 'data', 'sets.yaml');
  try {
    return parseYaml(await readFile(file, 'utf8'), file, Sets).sets;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** sha256 of each file whose terms are known. */
export function knownFiles(sets: readonly DataSet[]): ReadonlyMap<string, string> {
  return new Map(sets.flatMap(({ files }) => files.map(({ file, sha256 }) => [file, sha256] as const)));
}

/** sha256 of a file of the data folder; null where it is not there or may not be read. */
export async function hashOfFile(data: string, file: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path.join(data, file)), async (chunks) => {
      for await (const chunk of chunks) hash.update(chunk as Buffer);
    });
  } catch {
    return null;
  }
  return hash.digest('hex');
}
