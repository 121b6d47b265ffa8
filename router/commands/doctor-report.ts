import { type Colours, plainLine } from '../../common/index.ts';
import type { Finding } from './doctor-checks.ts';

/** One line: ok, warn or FAIL, what was looked at, what was found, what mends it. */
export function renderFinding(finding: Finding, c: Colours): string {
  const label = {
    ok: c.green('ok  '),
    warn: c.yellow('warn'),
    fail: c.red('FAIL'),
  }[finding.status];
  const fix = finding.fix === undefined ? '' : ` -> ${plainLine(finding.fix)}`;
  return `${label}  ${finding.check.padEnd(12)}  ${plainLine(finding.detail)}${fix}\n`;
}
