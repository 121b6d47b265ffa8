/** The audit log: append-only, chained, signed. */
export { type IndexChange, indexChange, type ReplayReport, replayChanges } from './changes.ts';
export { audited, decisionEvent, decisionHash } from './decisions.ts';
export { Actor, AuditEvent, Entry, type SealEntry } from './entry.ts';
export { AuditLog, type AuditLogOptions, SYSTEM } from './log.ts';
export { problemOf, type Recovered, recoverLog } from './recover.ts';
export {
  type AuditReport,
  rawLines,
  readCheckpoint,
  type Verdict,
  type VerifyOptions,
  verifyLog,
} from './verify.ts';
