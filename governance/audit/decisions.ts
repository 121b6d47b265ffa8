/** Decisions on the log: each is recorded before it is given out, and is not given out where that fails. */
import { createHash } from 'node:crypto';
import { PragauraError, packageVersion, withoutClocks } from '../../common/index.ts';
import type { Decision, Router } from '../../router/index.ts';
import type { Actor, AuditEvent } from './entry.ts';
import type { AuditLog } from './log.ts';

export const DECIDED = 'decision.made';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * SHA-256 of a decision without what a clock wrote and without an explanation: the same whether the decision is at hand as
 * an object or was read from a line of `pragaura route` or `ask --json`.
 */
export function decisionHash(decision: Decision): string {
  const { explanation: _, ...record } = decision as Decision & { explanation?: unknown };
  return sha256(withoutClocks(JSON.stringify(record)));
}

/**
 * What is recorded of a decision. Of the query, the quotes and the evidence the SHA-256 of their text, and where they
 * stand: words of people do not get into a log that nothing can be taken out of.
 */
export function decisionEvent(
  decision: Decision,
  by: Actor,
  policy: { version: string } | null = null,
): AuditEvent {
  const { action, act, answer, parts, evidence, abstention, clarification } = decision;
  const quotes = answer?.quotes ?? parts.flatMap((part) => part.answer?.quotes ?? []);
  return {
    kind: DECIDED,
    by,
    about: decision.id,
    detail: {
      decision: decisionHash(decision),
      query: sha256(decision.query),
      action,
      act: act.label,
      reason: (abstention ?? clarification)?.reason ?? null,
      U: decision.U,
      tau: decision.tau,
      signals: { D: decision.signals.D, C: decision.signals.C, E: decision.signals.E },
      guarantee: decision.guarantee.status,
      // Which default was in effect, and how sure it was when it was used.
      defaults: decision.defaults.map(({ outcome, reason, used, asOf, default: { id, confidence } }) => ({
        id,
        outcome,
        reason,
        confidence,
        asOf,
        used: used === null ? null : sha256(used),
      })),
      quotes: quotes.map(({ text, docId, start, end }) => ({ docId, start, end, sha256: sha256(text) })),
      evidence: evidence.map(({ passageId, docId, text }) => ({ docId, passageId, sha256: sha256(text) })),
      versions: {
        ...decision.versions,
        pragaura: packageVersion(),
        ...(policy !== null && { policy: policy.version }),
      },
    },
  };
}

type Decider = Pick<Router, 'route' | 'explain'>;

/**
 * A router whose decisions are on the log before its caller has them, with the policy that its documents were chosen by. Also that a query failed is recorded. Both
 * methods throw as `AuditLog.append` does where nothing could be recorded, and else as the router.
 */
export function audited(
  router: Decider,
  log: AuditLog,
  by: Actor,
  policy: { version: string } | null = null,
): Decider {
  const failed = async (id: string, error: unknown): Promise<never> => {
    const code = PragauraError.isInstance(error) ? error.code : 'INTERNAL';
    await log.append({ kind: 'decision.failed', by, about: id, detail: { code } });
    throw error;
  };
  return {
    route: async (query, options) => {
      const decision = await router.route(query, options).catch((error: unknown) => failed(query.id, error));
      await log.append(decisionEvent(decision, by, policy));
      return decision;
    },
    explain: async (query, options) => {
      const explanation = await router
        .explain(query, options)
        .catch((error: unknown) => failed(query.id, error));
      await log.append(decisionEvent(explanation.decision, by, policy));
      return explanation;
    },
  };
}
