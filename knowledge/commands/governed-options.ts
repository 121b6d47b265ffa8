/** Options of everything that somebody does to the documents: who it is, who may, and the log that it is on. */
import { AUDIT_KEY_OPTION, AUDIT_OPTION, POLICY_OPTIONS, PRINCIPAL_OPTIONS } from '../../cli/index.ts';

export const GOVERNED = {
  ...PRINCIPAL_OPTIONS,
  ...POLICY_OPTIONS,
  audit: {
    ...AUDIT_OPTION,
    describe: 'Audit log: every step is on it before it is taken [default: one in the folder of the index]',
  },
  'audit-key': AUDIT_KEY_OPTION,
} as const;

export const TICKET_OPTION = {
  type: 'number',
  requiresArg: true,
  describe: 'Number of a ticket, as "knowledge list" has it',
} as const;
