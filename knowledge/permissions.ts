/** Who may do what to tickets: by the policy, where there is one, and else whoever sits at the machine and is trusted. */
import { PragauraError } from '../common/index.ts';
import { type Access, LOCAL_ROLE, type PolicyAction, type Principal } from '../governance/index.ts';
import { type Files, type Ticket, touched } from './tickets/ticket.ts';

export class Permissions {
  readonly #access: Access | null;
  readonly #clock: () => Date;

  constructor(access: Access | null, clock: () => Date) {
    this.#access = access;
    this.#clock = clock;
  }

  /** SHA-256 of the policy; null without one. */
  get version(): string | null {
    return this.#access?.policy.version ?? null;
  }

  /**
   * Whether something may be done to a document, whether or not the index has it. What one may not read one may do nothing to:
   * else one would learn by trying whether it is there. A record has the labels of its file in `files` where it has none.
   */
  may(principal: Principal, action: PolicyAction, docId: string, files: Files): boolean {
    if (this.#access === null) return principal.via === 'local' && principal.roles.includes(LOCAL_ROLE);
    const { policy, labels } = this.#access;
    const [document, now] = [
      labels(docId, Object.hasOwn(files, docId) ? files[docId] : docId),
      this.#clock(),
    ];
    return [...new Set([action, 'read'] as const)].every(
      (each) => policy.allows(principal, each, { document }, now).allowed,
    );
  }

  mayAll(principal: Principal, action: PolicyAction, docIds: readonly string[], files: Files): boolean {
    return docIds.length > 0 && docIds.every((id) => this.may(principal, action, id, files));
  }

  mayAdminister(principal: Principal): boolean {
    if (this.#access === null) return principal.via === 'local' && principal.roles.includes(LOCAL_ROLE);
    return this.#access.policy.allows(principal, 'administer', { installation: true }, this.#clock()).allowed;
  }

  /** The proposer, and who may do something about it. For all others there is no such ticket. */
  maySee(principal: Principal, ticket: Ticket): boolean {
    if (isSame(principal, ticket.proposer)) return true;
    const documents = touched(ticket);
    const steps = ['review', 'schedule', 'apply', 'rollback'] as const;
    return steps.some((action) => this.mayAll(principal, action, documents, ticket.files));
  }

  /** NOT_PERMITTED, which names none of the documents. */
  refuse(principal: Principal, action: PolicyAction): PragauraError {
    const hint =
      this.#access === null
        ? 'Say --policy-file FILE, or --trust-local at a machine of your own.'
        : `The policy would have to permit the action ${JSON.stringify(action)}.`;
    return new PragauraError('NOT_PERMITTED', `${principal.id} may not ${VERBS[action]} this.`, { hint });
  }
}

const VERBS: Record<PolicyAction, string> = {
  read: 'read',
  propose: 'propose',
  review: 'review',
  schedule: 'schedule',
  apply: 'apply',
  rollback: 'take back',
  audit: 'audit',
  memory: 'see',
  administer: 'administer',
};

/** Nobody in particular is never the same as anybody, nor as himself. */
export function isSame(a: Pick<Principal, 'id' | 'via'>, b: Pick<Principal, 'id' | 'via'>): boolean {
  return a.via !== 'none' && a.via === b.via && a.id === b.id;
}
