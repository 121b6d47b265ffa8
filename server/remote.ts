/** A server elsewhere, in the place of a router of one's own. */
import { messageOf, PragauraError } from '../common/index.ts';
import { Decision, type Query, type RouteOptions, type Router } from '../router/index.ts';
import { Ranking } from './contracts.ts';
import { Problem } from './problems.ts';

export interface RemoteOptions {
  /** As `pragaura serve` prints it. */
  url: string;
  /** API key or token; left out: none is sent. */
  key?: string | undefined;
  /** Left out: the only one. */
  collection?: string | undefined;
}

/**
 * What decides and ranks over HTTP. Decisions are those of the server, byte for byte. Both reject with the code of the
 * server's problem, SERVER_UNAVAILABLE where it cannot be reached or what it says is not of this version, and ABORTED
 * when the signal fires.
 */
export function remoteRouter({ url, key, collection }: RemoteOptions): Pick<Router, 'route' | 'rank'> {
  const ask = async (path: string, body: object, signal: AbortSignal | undefined): Promise<unknown> => {
    const address = new URL(path, url.endsWith('/') ? url : `${url}/`);
    if (collection !== undefined) address.searchParams.set('collection', collection);
    const headers = {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    try {
      const sent = { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error' as const };
      const response = await fetch(address, { ...sent, ...(signal && { signal }) });
      const said: unknown = await response.json();
      if (response.ok) return said;
      const { code, detail, hint } = Problem.parse(said);
      throw new PragauraError(code, detail, hint === undefined ? {} : { hint });
    } catch (error) {
      if (PragauraError.isInstance(error)) throw error;
      if (signal?.aborted) throw new PragauraError('ABORTED', 'The caller has gone.', { cause: error });
      throw unavailable(url, error);
    }
  };
  return {
    route: async (query: Query, { signal }: RouteOptions = {}) => {
      const said = Decision.safeParse(await ask('v1/decisions', query, signal));
      if (!said.success) throw unavailable(url, said.error);
      return said.data;
    },
    rank: async (stage, query, k, signal): ReturnType<Router['rank']> => {
      const said = Ranking.safeParse(await ask('v1/retrieve', { ...query, stage, k }, signal));
      if (!said.success) throw unavailable(url, said.error);
      return said.data.hits;
    },
  };
}

function unavailable(url: string, cause: unknown): PragauraError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return new PragauraError(
    'SERVER_UNAVAILABLE',
    `${url} does not answer as this version does: ${messageOf(inner)}`,
    {
      hint: 'Is "pragaura serve" running there, and of this version?',
      cause,
    },
  );
}
