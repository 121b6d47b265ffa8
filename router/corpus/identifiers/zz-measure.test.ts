import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { buildIdentifiers, loadIdentifiers } from './index.ts';
it('measure', () => {
  const raw = execFileSync('zcat', [process.env.TSV!], { maxBuffer: 1e9 }).toString('utf8');
  const rows = raw.trimEnd().split('\n').slice(1).map((l) => l.split('\t'));
  const texts = [...new Set(rows.map((r) => r[2]!))];
  const segs = buildIdentifiers(texts.map((text, i) => ({ docId: `d${i}`, passageId: `d${i}#0`, start: 0, end: text.length, text, title: '', genre: 'narrative', source: `d${i}`, position: '1:1' })) as never);
  const t = loadIdentifiers({ segment: (n) => segs[n]! });
  const qs = [...new Set(rows.map((r) => r[1]!))];
  let flagged = 0;
  for (const q of qs) {
    const bad = t.extract(q).filter(({ id }) => !t.has(id));
    if (bad.length > 0) { flagged += 1; console.log(q, bad.map((b) => b.id)); }
  }
  console.log('QUESTIONS', qs.length, 'PASSAGES', texts.length, 'FLAGGED', flagged, 'SIZE', t.size);
  const lines = new TextDecoder().decode(segs.identifiers!).split('\n');
  console.log(lines.filter((l) => /^\S*\d|^full/.test(l)).slice(0, 30), lines.filter((l) => /^[A-Z]\t.*-0\d/.test(l)));
  expect(1).toBe(1);
}, 60000);
