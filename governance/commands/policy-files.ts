/** A policy and the labels that it goes by, from the files that the command line names. */
import { readFileSync } from 'node:fs';
import { jsonOf } from '../../cli/index.ts';
import { isSystemError, PragauraError, systemReason } from '../../common/index.ts';
import {
  type Access,
  type LabelsOf,
  labelsFrom,
  NO_LABELS,
  type Policy,
  parsePolicy,
} from '../policy/index.ts';

export interface PolicyFileArguments {
  policyFile: string;
  everybody: boolean;
}

/** Throws NOT_FOUND and POLICY_UNUSABLE. */
export function openPolicy({ policyFile, everybody }: PolicyFileArguments): Policy {
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
  return parsePolicy(text, policyFile, { everybody });
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
}

/** What `--policy-file` and `--document-labels` rule; null without a policy. Throws USAGE for labels alone, NOT_FOUND and POLICY_UNUSABLE. */
export function accessFrom({ policyFile, documentLabels, everybody }: AccessArguments): Access | null {
  if (policyFile !== undefined) {
    return { policy: openPolicy({ policyFile, everybody }), labels: labelsOf(documentLabels) };
  }
  if (documentLabels === undefined && !everybody) return null;
  throw new PragauraError('USAGE', 'There is nothing that goes by labels: say --policy-file FILE.');
}
