/** Certificates and their ledgers on disk. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ReportPart } from '../../calibration/index.ts';
import { messageOf, PragauraError } from '../../common/index.ts';
import { Certificate, faultsOf, inWords, LedgerLine } from './certificate.ts';

const ENDING = '.certificate.json';

/** The certificate `parity-SET.certificate.json` and its ledgers, as files of a folder. */
export function certificateParts(certificate: Certificate, lines: readonly LedgerLine[]): ReportPart[] {
  const name = `parity-${certificate.set}${ENDING}`;
  return [
    { name: ledgersOf(name), text: lines.map((line) => `${JSON.stringify(line)}\n`).join('') },
    { name, text: `${JSON.stringify(certificate, null, 2)}\n` },
  ];
}

/**
 * Checks a certificate against the ledgers beside it, and says in words what it certifies. Throws NOT_FOUND when one of
 * the two is not there, INVALID_INPUT when it is no certificate or the ledgers do not bear it out.
 */
export async function verifyCertificate(file: string): Promise<string> {
  const parsed = Certificate.safeParse(parse(await read(file), file));
  if (!parsed.success) throw refused(file, 'it is no parity certificate', parsed.error);
  const ledgers = ledgersOf(file);
  const text = await read(ledgers);
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, place) => {
      const read = LedgerLine.safeParse(parse(line, `${ledgers}, line ${place + 1}`));
      if (!read.success) throw refused(ledgers, `line ${place + 1} is no ledger`, read.error);
      return read.data;
    });
  const faults = faultsOf(parsed.data, lines);
  if (faults.length > 0) throw refused(file, faults.join('; '));
  const { set, queries, arms, comparisons, seal } = parsed.data;
  return [
    `verified: ${set}, ${queries.n} queries, ${arms.length} arms; every total and verdict follows from the ledgers`,
    `seal ${seal}, ledgers ${createHash('sha256').update(text).digest('hex')}`,
    ...comparisons.map(({ a, b, parity, comparable, refusals }) =>
      comparable
        ? `${a}, ${b}: comparable${parity === 'each' ? '' : ', a query of the mix is expected to cost the same'}`
        : `${a}, ${b}: NOT COMPARABLE: ${refusals.map(inWords).join('; ')}`,
    ),
  ].join('\n');
}

function ledgersOf(file: string): string {
  return `${file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : file}.ledgers.ndjson`;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`, {
      hint: 'A certificate is verified from the ledgers beside it; keep the two files together.',
      cause: error,
    });
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(where, `it is not JSON: ${messageOf(error)}`, error);
  }
}

function refused(file: string, why: string, cause?: unknown): PragauraError {
  return new PragauraError('INVALID_INPUT', `${file} does not hold: ${why}.`, {
    hint: 'Run the comparison again; its results are kept, so this takes seconds.',
    cause,
  });
}
