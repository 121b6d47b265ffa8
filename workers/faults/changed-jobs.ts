/** Jobs of one who may read little, changed on the way so that they would be decided for one who may read more. */
import { asserted, type Principal, type SigningKey } from '../../governance/index.ts';
import type { Query } from '../../router/index.ts';
import { digestOf, jobIdOf } from '../queue/index.ts';
import type { QueryJob } from '../types.ts';

export interface House {
  configuration: string;
  /** Whose word is taken. */
  key: SigningKey;
  stranger: SigningKey;
  /** Who may read little, and who may read everything. */
  guest: Principal;
  owner: Principal;
}

interface Job {
  jobId: string;
  data: QueryJob;
}

/** As it should be. `at`: milliseconds since 1970. */
export function jobOf(
  query: Query,
  principal: Principal,
  { configuration, key }: House,
  at = Date.now(),
): Job {
  const jobId = jobIdOf('t', query.id, configuration, { principal, key: key.fingerprint });
  const digest = digestOf(query);
  const asker = asserted(principal, { jobId, digest }, at, key);
  return {
    jobId,
    data: {
      ...{ schema: 'pragaura.job/1', digest, configuration, generation: 0, tenant: 't', priority: 'bulk' },
      ...{ submittedAt: at, deadlineAt: null, asker, query },
    },
  };
}

/** Under the id that it has by what it says now. */
function renamed(data: QueryJob): Job {
  return { jobId: jobIdOf(data.tenant, data.query.id, data.configuration, data.asker), data };
}

/** The owner's name, by the stranger, who says that he is `as`. */
function impersonated({ data }: Job, { owner, stranger }: House, as: SigningKey): Job {
  const jobId = jobIdOf(data.tenant, data.query.id, data.configuration, {
    principal: owner,
    key: as.fingerprint,
  });
  const said = asserted(owner, { jobId, digest: data.digest }, data.submittedAt, stranger);
  return { jobId, data: { ...data, asker: { ...said, key: as.fingerprint } } };
}

/** Each takes a job of the guest. */
export const CHANGES: Readonly<Record<string, (job: Job, house: House) => Job>> = {
  'the roles of somebody else': ({ jobId, data }, { owner }) => {
    const asker = data.asker!;
    return {
      jobId,
      data: { ...data, asker: { ...asker, principal: { ...asker.principal, roles: owner.roles } } },
    };
  },
  'the roles of somebody else, under the id that it then has': (job, house) =>
    renamed(CHANGES['the roles of somebody else']!(job, house).data),
  'a higher clearance': ({ data }) => {
    const asker = data.asker!;
    return renamed({ ...data, asker: { ...asker, principal: { ...asker.principal, clearance: 9 } } });
  },
  'what was said of another job': ({ data }, house) => {
    const other = jobOf({ ...data.query, id: `${data.query.id}-other` }, house.owner, house);
    return renamed({ ...data, asker: other.data.asker });
  },
  'what was said of another question': ({ data }, house) => {
    const other = jobOf({ ...data.query, query: 'Who?' }, house.owner, house);
    return { jobId: other.jobId, data: { ...other.data, query: data.query } };
  },
  'the name of somebody else, signed by a stranger': (job, house) => impersonated(job, house, house.stranger),
  'the name of somebody else, signed by a stranger as another': (job, house) =>
    impersonated(job, house, house.key),
  'nobody who asks': ({ data }) => {
    const { asker: _, ...changed } = data;
    return renamed(changed);
  },
  'another time': ({ jobId, data }) => {
    const asker = data.asker!;
    return { jobId, data: { ...data, asker: { ...asker, at: asker.at + 1 } } };
  },
};
