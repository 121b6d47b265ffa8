/** What every room uses and none owns: errors, canonical JSON, files and locks, lines in and out, the terminal, log odds, chance from a seed. */
export { builtFile } from './built-file.ts';
export { canonicalHash, canonicalJson } from './canonical-json.ts';
export { ERROR_CODES, type ErrorCode, EXIT, messageOf, PragauraError } from './errors.ts';
export { holderOf, tryFileLock } from './file-lock.ts';
export { abortOf, installSignals, interruptible } from './interrupts.ts';
export { type Line, LineSplitter, readLines } from './lines.ts';
export { cannotListen, isLoopback, urlOf } from './listening.ts';
export { boundedLogit, logit, logLoss, sigmoid } from './logistic.ts';
export { type RecordsSummary, runRecords, toLine } from './ndjson.ts';
export { packageVersion } from './package-version.ts';
export { parseAs, recordParser } from './parse.ts';
export {
  mulberry32,
  type Random,
  randomIn,
  randomInteger,
  sample,
  seededRandom,
  shuffled,
  sortedByChance,
} from './random.ts';
export { Passing, type RetryPolicy, retryAfter, withRetries } from './retry.ts';
export { inTransaction, openDatabase } from './sqlite/open-database.ts';
export {
  type Database,
  type Statement,
  type StoreKind,
  sqliteDriver,
  storeUnusable,
  withSqlite,
} from './sqlite/sqlite.ts';
export { failureReason, isSystemError, systemReason } from './system-error.ts';
export {
  type Colours,
  colours,
  plain,
  plainLine,
  progress,
  say,
  type TerminalStream,
} from './terminal.ts';
export { columns, table } from './text-table.ts';
export { writeWholeFile } from './whole-file.ts';
export { withoutClocks } from './without-clocks.ts';
export { list, oneLine, quoted } from './wording.ts';
