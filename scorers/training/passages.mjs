// The passages of an index as the product cuts them and puts them to the cross-encoder and the embedder, for training: NDJSON.
//   node passages.mjs DIST INDEX > out      out: {"id","title","document","heading","text","embedded"}
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, folder] = process.argv.slice(2);
const room = pathToFileURL(`${resolve(dist)}/`);
const { openIndex } = await import(new URL('corpus/index.js', room));
const { passageText } = await import(new URL('corpus/passages/passage-text.js', room));
const { pairFor } = await import(new URL('router/retrieval/rerank.js', room));
for (const passage of (await openIndex(folder)).passages) {
  const { title: document, heading } = pairFor('', { indexed: { passage } });
  const { passageId: id, title, text } = passage;
  const embedded = passageText(passage);
  process.stdout.write(`${JSON.stringify({ id, title, document, heading, text, embedded })}\n`);
}
