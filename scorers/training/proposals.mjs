// Questions that `pragaura label` makes of an index (its headings, terms and sentences), for training: NDJSON.
//   node proposals.mjs DIST INDEX > out     out: {"kind","query","passages"}: ids of passages or documents that answer
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, folder] = process.argv.slice(2);
const room = pathToFileURL(`${resolve(dist)}/`);
const { openIndex } = await import(new URL('corpus/index.js', room));
const { questionsOf } = await import(new URL('calibration/proposals/questions.js', room));
const index = await openIndex(folder);
for (const ordinal of index.passages.keys()) {
  for (const { kind, label } of questionsOf(index, ordinal)) {
    process.stdout.write(`${JSON.stringify({ kind, query: label.query, passages: label.passages })}\n`);
  }
}
