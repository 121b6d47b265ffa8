/** A router as a worker sees it. */
import { type Access, type PublicKey, Views } from '../../governance/index.ts';
import type { Query, Router } from '../../router/index.ts';
import { configurationOf, madeOf } from '../queue/index.ts';
import type { Decider } from './types.ts';

/** Who may read what of the index, and whose word is taken for who asks. */
export interface Governed {
  access: Access;
  submitters: readonly PublicKey[];
  /** Opens a router over the documents that are `readable`. */
  view(readable: (document: { docId: string }) => boolean): Promise<Router>;
}

/** What a worker needs of an opened router. `tenant`: whose learned defaults all jobs use; default each its own. */
export function deciderOf(
  router: Router,
  { tenant, governed }: { tenant?: string | undefined; governed?: Governed | undefined } = {},
): Decider {
  const deciding = (own: Router): Pick<Decider, 'route' | 'expired'> => ({
    route: (query, options) => own.route(query, tenant === undefined ? options : { ...options, tenant }),
    expired: (query) => own.expired(query),
  });
  const policy = governed?.access.policy;
  return {
    ...deciding(router),
    configuration: configurationOf(router, policy),
    made: madeOf(router, policy),
    budgetMs: router.validFor.budget.ms,
    ...(governed !== undefined && { governed: governedBy(router, governed, deciding) }),
  };
}

function governedBy(
  router: Router,
  { access, submitters, view: open }: Governed,
  deciding: (own: Router) => Pick<Decider, 'route' | 'expired'>,
): NonNullable<Decider['governed']> {
  const views = new Views(access, router.documents, open);
  return {
    submitters,
    over: async (principal, work) => {
      const view = views.of(principal);
      if (view === null) return work(deciding(router));
      try {
        return await work(deciding(await view.opening));
      } finally {
        views.release(view);
      }
    },
  };
}

/** The wall-clock limit that a receipt shows: the caller's or the budget's, whichever is the smaller. */
export function shownMs({ deadlineMs }: Query, budgetMs: number | null): number | null {
  if (deadlineMs === undefined) return budgetMs;
  return Math.min(deadlineMs, budgetMs ?? Number.POSITIVE_INFINITY);
}
