/** Proposing and approving a policy: each step on the log before it is taken. */
import { existsSync } from 'node:fs';
import { list, PragauraError, plainLine, toLine, writeWholeFile } from '../../common/index.ts';
import type { AuditEvent, AuditLog } from '../audit/index.ts';
import { readSigningKey } from '../keys.ts';
import { approved, checkSigned, type Policy, type PolicyReview, signedReview } from '../policy/index.ts';
import { APPROVALS, type Principal } from '../principals/index.ts';
import { keyFile, logFrom, mustBeWhole } from './audit-run.ts';
import { openPolicy, type PolicyFileArguments, readReview, reviewFile } from './policy-files.ts';
import { type PrincipalArguments, principalFrom } from './principal-options.ts';

export interface ReviewArguments extends PolicyFileArguments, PrincipalArguments {
  audit: string;
  auditKey: string | undefined;
  inForce: string | undefined;
  json: boolean;
}

export interface ApproveArguments extends ReviewArguments {
  because: string;
}

/** Throws as `openPolicy`, `principalFrom` and `AuditLog.append`, NOT_PERMITTED and WRITE_FAILED. */
export async function runPropose(args: ReviewArguments): Promise<string> {
  return reviewing(args, 'propose', async ({ policy, inForce, by, step }) => {
    const review = { version: policy.version, before: inForce?.version ?? null, proposer: by };
    const at = new Date().toISOString();
    return step((key) =>
      signedReview({ schema: 'pragaura.policy-review/1', ...review, at, approvals: [] }, key),
    );
  });
}

/** The same, NOT_FOUND where nobody proposed it, and POLICY_UNUSABLE where what was proposed is another or was changed. */
export async function runApprove(args: ApproveArguments): Promise<string> {
  const file = reviewFile(args.policyFile);
  const before = readReview(file);
  return reviewing(args, 'approve', async ({ policy, inForce, by, step }) => {
    if (before.version !== policy.version || before.before !== (inForce?.version ?? null)) {
      throw new PragauraError(
        'POLICY_UNUSABLE',
        `${file} is of another ${before.version === policy.version ? 'policy in force' : 'text than the policy has'}.`,
        { hint: 'Propose the policy again, with --in-force for the one whose place it takes.' },
      );
    }
    return step((key) => {
      checkSigned(before, key, file);
      return approved(before, by, args.because, new Date(), key);
    });
  });
}

interface Reviewing {
  policy: Policy;
  inForce: Policy | null;
  by: Omit<Principal, 'clearance'>;
  /** Makes the review, puts it on the log, writes it, and says what is still missing. */
  step(make: (key: ReturnType<typeof readSigningKey>) => PolicyReview): Promise<string>;
}

async function reviewing(
  args: ReviewArguments,
  verb: 'propose' | 'approve',
  work: (given: Reviewing) => Promise<string>,
): Promise<string> {
  const policy = openPolicy(args);
  const inForce = args.inForce === undefined ? null : openPolicy({ ...args, policyFile: args.inForce });
  const { log, last } = await opened(args);
  try {
    const principal = await principalFrom(args, log);
    const { clearance: _, ...by } = principal;
    const note = (kind: string, more: { approvals?: number } = {}) =>
      log.append({
        kind,
        by,
        about: policy.version,
        detail: { before: inForce?.version ?? null, ...more },
      });
    mustBeInForce(inForce, last);
    const ruling = (inForce ?? policy).allows(principal, 'administer', { installation: true }, new Date());
    // Before there is a policy whoever owns the machine may do everything.
    if (!ruling.allowed && !(inForce === null && args.trustLocal)) {
      await note('policy.refused');
      throw new PragauraError('NOT_PERMITTED', `${principal.id} may not ${verb} a policy.`, {
        hint: `The policy ${inForce === null ? 'itself' : 'in force'} would have to permit the action "administer".`,
      });
    }
    const step: Reviewing['step'] = async (make) => {
      let review: PolicyReview;
      try {
        review = make(readSigningKey(keyFile(args)));
      } catch (error) {
        await note('policy.refused');
        throw error;
      }
      const approvals = review.approvals.length;
      await note(verb === 'propose' ? 'policy.proposed' : 'policy.approved', { approvals });
      await writeWholeFile(
        reviewFile(args.policyFile),
        `${JSON.stringify(review, null, 1)}\n`,
        'A review lies beside its policy: may that folder be written into?',
      );
      return args.json ? toLine(review) : told(review);
    };
    return await work({ policy, inForce, by, step });
  } finally {
    await log.close();
  }
}

/** The log, begun where there is none, and the version of the policy that was approved last by it. Throws as `mustBeWhole`. */
async function opened(args: ReviewArguments): Promise<{ log: AuditLog; last: string | null }> {
  let last: string | null = null;
  if (!existsSync(args.audit)) return { log: (await logFrom(args))!, last };
  const log = await mustBeWhole(args, (line) => {
    const { event } = JSON.parse(line.toString('utf8')) as { event?: AuditEvent };
    if (event?.kind === 'policy.approved' && Number(event.detail.approvals) >= APPROVALS) last = event.about;
  });
  return { log, last };
}

/** Whoever names none, or an old one, would be ruled on by what they propose themselves, or by what was. Throws CONFLICT. */
function mustBeInForce(inForce: Policy | null, last: string | null): void {
  if ((inForce?.version ?? null) === last) return;
  throw new PragauraError(
    'CONFLICT',
    last === null
      ? 'By the log no policy is in force yet.'
      : `By the log the policy ${last.slice(0, 12)} is in force.`,
    { hint: last === null ? 'Leave out --in-force.' : 'Name its file with --in-force.' },
  );
}

function told({ version, proposer, approvals }: PolicyReview): string {
  const missing = APPROVALS - approvals.length;
  const names = list(
    approvals.map(({ by }) => plainLine(by.id)),
    'and',
  );
  const by = approvals.length === 0 ? '' : `, approved by ${names}`;
  const next =
    missing > 0 ? `${missing} more ${missing === 1 ? 'has' : 'have'} to approve it` : 'it may hold';
  return `${version.slice(0, 12)} proposed by ${plainLine(proposer.id)}${by}: ${next}.\n`;
}
