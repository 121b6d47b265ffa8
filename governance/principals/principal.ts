/** Who asks. */
import { userInfo } from 'node:os';
import type { Actor } from '../audit/index.ts';

/** The role that everybody has, and nobody without a token has another. */
export const PUBLIC_ROLE = 'public';
/** The role of a person at their own machine, where that is trusted. */
export const LOCAL_ROLE = 'administrator';

/** The role of a server's own clock, which may do what the policy permits it and is nobody's word for anything. */
export const SCHEDULER: Actor = { id: 'scheduler', roles: [PUBLIC_ROLE, 'scheduler'], via: 'local' };

export interface Principal extends Actor {
  /** Documents up to this clearance may be read where the policy goes by it; 0: no clearance. */
  clearance: number;
}

/** Nobody in particular. */
export const PUBLIC: Principal = { id: 'public', roles: [PUBLIC_ROLE], via: 'none', clearance: 0 };

/** Whoever runs the process, by the name that the system has for them, and by nothing else. */
export function localActor(): Actor {
  let id: string;
  try {
    id = userInfo().username;
  } catch {
    id = String(process.getuid?.() ?? 'unknown');
  }
  return { id, roles: [], via: 'local' };
}

/** Whoever runs the process, trusted to be the owner of everything. */
export function localPrincipal(): Principal {
  return { ...localActor(), roles: [PUBLIC_ROLE, LOCAL_ROLE], clearance: Number.MAX_SAFE_INTEGER };
}
