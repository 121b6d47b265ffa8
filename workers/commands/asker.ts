/** On whose behalf queries are submitted, and the key that vouches for it. */
import { PragauraError } from '../../common/index.ts';
import { type PrincipalArguments, principalFrom } from '../../governance/commands/principal-options.ts';
import { ensureSigningKey, JOBS, pemOf } from '../../governance/index.ts';
import type { Asker } from '../submit/index.ts';

/** Undefined without a key. Throws USAGE for somebody without a key, and as `principalFrom` and `ensureSigningKey`. */
export async function askerFrom({
  queueKey,
  ...args
}: PrincipalArguments & { queueKey: string | undefined }): Promise<Asker | undefined> {
  if (queueKey !== undefined) {
    return { principal: await principalFrom(args, null), key: ensureSigningKey(queueKey, JOBS) };
  }
  if (args.principalToken === undefined && args.principals === undefined && !args.trustLocal)
    return undefined;
  throw new PragauraError('USAGE', 'Workers take nobody at their word: say --queue-key FILE.', {
    hint: '"pragaura queue key --queue-key FILE" prints the public key, which workers take as --submitter-key.',
  });
}

/** The public half of a key, as PEM; its fingerprint is told to people. Throws USAGE without a file, and as `ensureSigningKey`. */
export function publicKey(file: string | undefined, stderr: { write(text: string): unknown }): string {
  if (file === undefined) throw new PragauraError('USAGE', 'Which key? Say --queue-key FILE.');
  const key = ensureSigningKey(file, JOBS);
  stderr.write(`pragaura: fingerprint ${key.fingerprint}\n`);
  return pemOf(key);
}
