/** A policy and the labels that it goes by, from the files that the command line names. */
import { readFileSync } from 'node:fs';
import { jsonOf } from '../../cli/index.ts';
import {
  failureReason,
  isSystemError,
  messageOf,
  PragauraError,
  parseAs,
  systemReason,
} from '../../common/index.ts';
import { readPublicKey } from '../keys.ts';
import {
  type Access,
  checkReviewed,
  type LabelsOf,
  labelsFrom,
  NO_LABELS,
  type Policy,
  PolicyReview,
  parsePolicy,
} from '../policy/index.ts';

export interface PolicyFileArguments {
  policyFile: string;
  everybody: boolean;
  /** Public key of the log that its review is on; left out: it need not have been reviewed. */
  reviewedBy?: string | undefined;
}

/** Throws NOT_FOUND and POLICY_UNUSABLE, also for a policy that was not reviewed where that is asked for. */
export function openPolicy({ policyFile, everybody, reviewedBy }: PolicyFileArguments): Policy {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(policyFile));
  } catch (error) {
    const why = isSystemError(error) ? systemReason(error) : 'is not valid UTF-8';
    throw new PragauraError('NOT_FOUND', `The policy ${policyFile} cannot be read: ${why}.`, {
      hint: 'Name a file of Cedar policies with --policy-file.',
      cause: error,
    });
  }
  const policy = parsePolicy(text, policyFile, { everybody });
  if (reviewedBy === undefined) return policy;
  const file = reviewFile(policyFile);
  checkReviewed(readReview(file), policy, readPublicKey(reviewedBy), file);
  return policy;
}

/** Throws NOT_FOUND and POLICY_UNUSABLE. */
export function labelsOf(file: string | undefined): LabelsOf {
  if (file === undefined) return NO_LABELS;
  return labelsFrom(jsonOf(file, 'labels', '{"schema": "pragaura.labels/1", "documents": {}}'), file);
}

export interface AccessArguments {
  policyFile: string | undefined;
  documentLabels: string | undefined;
  everybody: boolean;
  reviewedBy: string | undefined;
  backend?: string | undefined;
}

/** Where the review of a policy lies. */
export const reviewFile = (policyFile: string) => `${policyFile}.review.json`;

/**
 * What `--policy-file` and `--document-labels` rule; null without a policy. Throws USAGE for labels alone and
 * for a policy over an engine, and as `openPolicy`.
 */
export function accessFrom({
  policyFile,
  documentLabels,
  everybody,
  reviewedBy,
  backend,
}: AccessArguments): Access | null {
  if (policyFile !== undefined) {
    if (backend !== undefined) {
      throw new PragauraError(
        'USAGE',
        'What somebody may not read cannot be left out of an index in an engine.',
        {
          hint: 'Put an index of what they may read there under a name of its own, or leave out --backend or --policy-file.',
        },
      );
    }
    return { policy: openPolicy({ policyFile, everybody, reviewedBy }), labels: labelsOf(documentLabels) };
  }
  if (documentLabels === undefined && !everybody && reviewedBy === undefined) return null;
  throw new PragauraError('USAGE', 'There is no policy to go by: say --policy-file FILE.');
}

/** Throws NOT_FOUND and POLICY_UNUSABLE. */
export function readReview(file: string): PolicyReview {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `Nobody proposed this policy: ${file} ${failureReason(error)}.`, {
      hint: '"pragaura policy propose" does.',
      cause: error,
    });
  }
  try {
    return parseAs(PolicyReview, '')(JSON.parse(text));
  } catch (error) {
    throw new PragauraError('POLICY_UNUSABLE', `${file} is no review of a policy: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
