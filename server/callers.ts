/** Who is asking, from the header of a request, and what they may do. */
import { isLoopback, PragauraError } from '../common/index.ts';
import {
  LOCAL_ROLE,
  localActor,
  openTokens,
  type Principal,
  PUBLIC_ROLE,
  type TokenVerifier,
} from '../governance/index.ts';
import { KeyRing } from './keys.ts';
import { SCOPES, type Scope } from './scopes.ts';

export interface Caller {
  /** By which limits go, and the log of the server: an id, never the words of a secret. */
  id: string;
  /** As the audit log has it. */
  actor: Pick<Principal, 'id' | 'roles' | 'via'>;
  /** Documents up to this may be read where a policy goes by it. */
  clearance: number;
  scopes: readonly Scope[];
  /** Null: all. */
  collections: readonly string[] | null;
  /** Queries a minute; null: as the server has it. */
  perMinute: number | null;
}

export interface DoorOptions {
  /** Address that the server listens on. */
  host: string;
  /** File of API keys, and of settings of tokens. */
  keys?: string | undefined;
  principals?: string | undefined;
}

const READERS: readonly Scope[] = ['decide', 'retrieve', 'score'];
const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

/** Whoever sits at this machine. */
export function localCaller(): Caller {
  const actor = localActor();
  return { id: 'local', actor, clearance: 0, scopes: SCOPES, collections: null, perMinute: null };
}

/** Whoever started this process, as its command line says who that is: he may read what a policy lets him. */
export function startedBy({ clearance, ...actor }: Principal): Caller {
  return { ...localCaller(), id: `${actor.via}:${actor.id}`, actor, clearance, scopes: READERS };
}

/** As a policy knows him. Whoever has said nothing of himself has the role that everybody has. */
export function principalOf({ actor, clearance }: Pick<Caller, 'actor' | 'clearance'>): Principal {
  return { ...actor, roles: [...new Set([PUBLIC_ROLE, ...actor.roles])], clearance };
}

/** Who is remembered: people, by their tokens, and who sits at this machine. Keys are of applications. Null: nobody. */
export function personOf(caller: Caller): Principal | null {
  return caller.id.startsWith('key:') ? null : principalOf(caller);
}

/** The person who asks. Throws NOT_PERMITTED for a key. */
export function mustBePerson(caller: Caller): Principal {
  const who = personOf(caller);
  if (who !== null) return who;
  throw new PragauraError(
    'NOT_PERMITTED',
    'A key is of an application: this is for people, by their tokens.',
    {
      hint: 'Send the token of the person, as --principals has them.',
    },
  );
}

/** Lets callers in. */
export class Door {
  readonly #keys: KeyRing | null;
  readonly #tokens: TokenVerifier | null;
  /** Whether nobody has to say who they are. */
  readonly open: boolean;

  /** Throws CONFIGURATION for an address that others reach while nobody has a key, and what keys and tokens throw. */
  constructor({ host, keys, principals }: DoorOptions) {
    this.#keys = keys === undefined ? null : new KeyRing(keys);
    this.#tokens = principals === undefined ? null : openTokens(principals);
    this.open = this.#keys === null && this.#tokens === null;
    if (!isLoopback(host) && (this.open || (this.#tokens === null && this.#keys!.valid === 0))) {
      throw new PragauraError('CONFIGURATION', `Others can reach ${host}, and nobody has a key.`, {
        hint: 'Make one with "pragaura keys create --keys FILE --name NAME" and say --keys FILE, or listen on 127.0.0.1.',
      });
    }
  }

  /**
   * Who asks, by the `Authorization` header of a request. Throws TOKEN_REFUSED, and CONFIGURATION or NOT_FOUND where
   * the keys cannot be read any more.
   */
  async admit(authorization: string | undefined): Promise<Caller> {
    if (this.open) return localCaller();
    const text = BEARER.exec(authorization ?? '')?.[1];
    if (text === undefined) {
      throw new PragauraError('TOKEN_REFUSED', 'Who is asking? There is no API key or token.', {
        hint: 'Send it in a header, "Authorization: Bearer …".',
      });
    }
    const key = this.#keys?.find(text) ?? null;
    if (key !== null) {
      const actor = { id: `key:${key.id}`, roles: [PUBLIC_ROLE], via: 'token' as const };
      const { scopes, collections, perMinute } = key;
      return { id: actor.id, actor, clearance: 0, scopes, collections, perMinute };
    }
    if (this.#tokens === null) {
      throw new PragauraError('TOKEN_REFUSED', 'What was sent is no API key.', {
        hint: 'A key is "pragaura_", 12 characters, "_" and 43 more.',
      });
    }
    const { clearance, ...actor } = await this.#tokens.verify(text);
    const scopes = actor.roles.includes(LOCAL_ROLE) ? SCOPES : READERS;
    return { id: `token:${actor.id}`, actor, clearance, scopes, collections: null, perMinute: null };
  }
}

/** Throws NOT_PERMITTED. */
export function mustHave({ scopes }: Caller, scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw new PragauraError('NOT_PERMITTED', `This caller may not ${scope}.`, {
    hint: `It may ${scopes.join(', ')}; whoever runs the server makes keys with other scopes.`,
  });
}
