/** What things are called in Redis. Everything of one queue has one hash tag, so that a Cluster keeps it in one slot. */
import { createHash } from 'node:crypto';
import { canonicalHash, canonicalJson } from '../../common/index.ts';
import type { Assertion } from '../../governance/index.ts';
import type { Query } from '../../router/index.ts';

const ID_BYTES = 18;

export interface QueueKeys {
  /** What BullMQ gets as its prefix; the hash tag is its part in braces. */
  readonly prefix: string;
  /** Hash: job id to stream id, a space and the result. */
  readonly results: string;
  /** Stream of the job ids that have a result, in the order in which they got it. */
  readonly done: string;
  /** Sorted set of the job ids whose result somebody has read, by time. */
  readonly collected: string;
  /** Hash: epoch, retention, how many results went unread. */
  readonly meta: string;
  /** Hash: configuration to what it is made of, of all that ever had a job or a worker. */
  readonly configurations: string;
  /** Hash: worker id to what it announced. */
  readonly workers: string;
  /** Hash: virtual time and the tags of tenants, for one configuration. */
  fair(configuration: string): string;
  /** Prefix of the keys of the BullMQ queue of one configuration, with its colon. */
  lane(configuration: string): string;
}

/** The name of the BullMQ queue that holds the jobs of one configuration. */
export function laneName(configuration: string): string {
  return `lane-${configuration.slice(0, 16)}`;
}

export function keysOf(queue: string): QueueKeys {
  const prefix = `{pragaura:${queue}}`;
  return {
    prefix,
    results: `${prefix}:results`,
    done: `${prefix}:done`,
    collected: `${prefix}:collected`,
    meta: `${prefix}:meta`,
    configurations: `${prefix}:configurations`,
    workers: `${prefix}:workers`,
    fair: (configuration) => `${prefix}:fair:${configuration.slice(0, 16)}`,
    lane: (configuration) => `${prefix}:${laneName(configuration)}:`,
  };
}

/** Of several texts one, which no others give: each with its length in front. */
function hashed(parts: readonly string[]) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash;
}

/**
 * The id of a job: the same for the same tenant, query id and configuration, asked by the same principal by way of the same
 * submitter's key, and for no others. It begins with a letter and has no colon, whatever the query's id is made of; BullMQ
 * wants it so.
 */
export function jobIdOf(
  tenant: string,
  queryId: string,
  configuration: string,
  asker?: Pick<Assertion, 'principal' | 'key'>,
): string {
  const who = asker && { ...asker.principal, roles: [...asker.principal.roles].sort(), key: asker.key };
  const parts = [tenant, queryId, configuration, ...(who === undefined ? [] : [canonicalJson(who)])];
  const digest = hashed(parts).digest();
  return `q${digest.subarray(0, ID_BYTES).toString('base64url')}`;
}

/** SHA-256 of everything in a query that is read, but its id, in hexadecimal. */
export function digestOf(query: Query): string {
  const { id: _, filters, history, ...rest } = query;
  const turns = history?.map(({ role, text }) => [role, text]) ?? null;
  const fields = [filters?.docId ?? null, filters?.source ?? null, filters?.genre ?? null];
  const habits = [rest.defaults ?? null, rest.conditions ?? null];
  return canonicalHash([rest.query, rest.deadlineMs ?? null, turns, fields, ...habits]);
}
