// Claims and premises as the product makes them at run time, for training: NDJSON in, NDJSON out.
//   node claims.mjs DIST < in > out      in:  {"question","answer"} or {"text","start","end"} (offsets in UTF-16)
//                                        out: {"claim"}            or {"around"}
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const room = pathToFileURL(`${resolve(process.argv[2])}/scorers/signals/`);
const { toStatement } = await import(new URL('statement.js', room));
const { sentencesAround } = await import(new URL('text.js', room));
let out = [];
for await (const line of createInterface({ input: process.stdin })) {
  const row = JSON.parse(line);
  const made =
    row.question === undefined
      ? { around: sentencesAround(row.text, row.start, row.end) }
      : { claim: toStatement(row.question, row.answer) };
  out.push(`${JSON.stringify(made)}\n`);
  if (out.length === 4096) {
    process.stdout.write(out.join(''));
    out = [];
  }
}
process.stdout.write(out.join(''));
