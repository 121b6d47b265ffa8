/** Lines in and out, interruptions and what is drawn on a terminal: for every command of every room. */
export { abortOf, installSignals } from './interrupts.ts';
export { readLines } from './lines.ts';
export { type RecordsSummary, runRecords, toLine } from './ndjson.ts';
export { parseAs, recordParser } from './parse.ts';
export { plain, plainLine, progress, type TerminalStream } from './terminal.ts';
export { withoutClocks } from './without-clocks.ts';
