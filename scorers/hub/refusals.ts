/** What a hub's refusal means to whoever asked. */
import type { IncomingHttpHeaders } from 'node:http';
import { Passing, PragauraError, type RetryPolicy, retryAfter } from '../../common/index.ts';
import type { HubSettings } from './settings.ts';

export const RETRIES: RetryPolicy = { tries: 5, firstDelayMs: 1000, longestDelayMs: 120_000 };

/** Throws ABORTED once the caller has cancelled. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal.reason);
}

/** The error of a caller who has cancelled. */
export function aborted(cause: unknown): PragauraError {
  return new PragauraError('ABORTED', 'The download was interrupted.', {
    hint: 'The same command goes on where it stopped.',
    cause,
  });
}

/** A file of a repository at a revision. */
export interface Address {
  repo: string;
  revision: string;
  path: string;
}

/**
 * The error for a status, or for an answer that makes no sense. `Passing` for 408, 425, 429 and 5xx; HUB_UNAVAILABLE
 * for the rest.
 */
export function refusal(
  { repo, revision, path }: Address,
  { endpoint, token }: HubSettings,
  status: number | string,
  headers: IncomingHttpHeaders = {},
): PragauraError | Passing {
  const file = `${path} of ${repo}`;
  const error = (what: string, hint: string): PragauraError =>
    new PragauraError('HUB_UNAVAILABLE', `${file}: ${endpoint} ${what}.`, { hint });
  if (typeof status === 'string') return error(status, 'Does HF_ENDPOINT name a hub that can be trusted?');

  const code = String(headers['x-error-code'] ?? '');
  if (code === 'GatedRepo' || (status === 403 && code === '')) {
    return error(
      `keeps it for those who may (${status})`,
      `Accept the conditions at ${endpoint}/${repo} and set HF_TOKEN to a token of that account.`,
    );
  }
  if (status === 401 || status === 403) {
    // The hub also answers so, without a token, for a repository that does not exist.
    const known = token === undefined ? 'there is no HF_TOKEN' : 'HF_TOKEN is not accepted';
    return error(
      `refuses (${status}, ${known})`,
      `Set HF_TOKEN to a valid token${token === undefined ? '' : ' or to none'}; is ${repo} spelt right?`,
    );
  }
  if (status === 404 || status === 410) {
    if (code === 'RevisionNotFound') {
      return error(`has no revision ${revision} (${status})`, `${endpoint}/${repo}/commits/main lists them.`);
    }
    const what = code === 'RepoNotFound' ? 'has no such repository' : 'has no such file';
    return error(
      `${what} at revision ${revision} (${status})`,
      `${endpoint}/${repo}/tree/${revision} lists its files.`,
    );
  }
  const after = retryAfter(
    typeof headers['retry-after'] === 'string' ? headers['retry-after'] : undefined,
    Date.now(),
  );
  if (status === 429) {
    const wait = after === undefined ? 'a while' : `${Math.ceil(after / 1000)} s`;
    const hint = `Try again in ${wait}; with HF_TOKEN more is allowed.`;
    return new Passing(error('has had too many requests (429)', hint), { afterMs: after });
  }
  if (status >= 500 || status === 408 || status === 425) {
    const hint = 'Try again later; the same command goes on where it stopped.';
    return new Passing(error(`is in trouble (${status})`, hint), { afterMs: after });
  }
  return error(`answers ${status}`, 'Does HF_ENDPOINT name a hub?');
}
