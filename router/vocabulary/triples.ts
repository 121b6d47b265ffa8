import type { Transform } from 'node:stream';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { StreamParser } from 'n3';
import { RdfXmlParser } from 'rdfxml-streaming-parser';
import { messageOf } from '../../errors.ts';
import { eachParsed, unusable } from './text-stream.ts';

/** What parsers give, as far as it is used. */
export interface Triple {
  subject: { termType: string; value: string };
  predicate: { value: string };
  object: { termType: string; value: string; language?: string };
}

export type RdfFormat = 'turtle' | 'rdfxml' | 'jsonld';

/** Relative IRIs of a file are told apart from those of another one, and mean nothing else. */
const BASE = 'urn:vocabulary:';

/**
 * Every triple of a text in one of three formats, in order, one piece of text in memory at a time. In JSON-LD a
 * context must stand before what it is about (the streaming profile), and in the file.
 * Throws VOCABULARY_UNUSABLE with the parser's own words, which name the line where it knows it.
 */
export async function eachTriple(
  name: string,
  text: AsyncIterable<string>,
  format: RdfFormat,
  take: (triple: Triple) => void,
): Promise<void> {
  const source = format === 'rdfxml' ? checkedEntities(name, text) : text;
  await eachParsed(source, parserFor(format), take, (cause) =>
    unusable(
      `${name} is not sound ${NAMES[format]}: ${messageOf(cause)}`,
      'Check it with a validator, or give it the extension of its real format.',
      cause,
    ),
  );
}

const NAMES: Record<RdfFormat, string> = { turtle: 'Turtle', rdfxml: 'RDF/XML', jsonld: 'JSON-LD' };

function parserFor(format: RdfFormat): Transform {
  if (format === 'turtle') return new StreamParser({ format: 'turtle', baseIRI: BASE });
  if (format === 'rdfxml') {
    // The package's own stream class is the same as Node's; only the type differs.
    return new WholeRdfXml({ baseIRI: BASE, trackPosition: true }) as unknown as Transform;
  }
  return new WholeJsonLd({
    baseIRI: BASE,
    // Otherwise the parser keeps the whole file and its time grows with the square of it.
    streamingProfile: true,
    streamingProfileAllowOutOfOrderPlainType: true,
    documentLoader: {
      load: async (url) => {
        throw unusable(
          `The vocabulary's context is on the network (${url.slice(0, 200)}), which is never asked.`,
          'Put the context itself into the file.',
        );
      },
    },
  }) as unknown as Transform;
}

/** The parser takes a file that ends too early for a whole one; this one does not. */
class WholeRdfXml extends RdfXmlParser {
  override _flush(callback: (error?: Error | null) => void): void {
    try {
      (this as unknown as { saxParser: { close(): void } }).saxParser.close();
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }
}

/** As above: open brackets at the end of the text are an error. */
class WholeJsonLd extends JsonLdParser {
  override _flush(callback: (error?: Error | null) => void): void {
    const { stack } = (this as unknown as { jsonParser: { stack: unknown[] } }).jsonParser;
    callback(stack.length > 0 ? new Error('the text ends before its brackets are closed') : null);
  }
}

const LONGEST_ENTITY = 256;
const LONGEST_HEAD = 1 << 20;

/** Entities shorten namespaces. Long ones blow a small file up to any size, and are refused before they are read. */
async function* checkedEntities(name: string, text: AsyncIterable<string>): AsyncGenerator<string> {
  let head: string | null = '';
  for await (const piece of text) {
    if (head === null) {
      yield piece;
      continue;
    }
    head += piece;
    // The doctype ends where the first element begins: "<" and a letter.
    const body = head.search(/<[\p{L}_]/u);
    if (body < 0 && head.length < LONGEST_HEAD) continue;
    yield checkedHead(name, head, body);
    head = null;
  }
  if (head !== null) yield checkedHead(name, head, head.length);
}

function checkedHead(name: string, head: string, body: number): string {
  if (body < 0) throw unusable(`${name} has no element within its first million characters.`);
  for (const [, value] of head.slice(0, body).matchAll(/<!ENTITY\s[^"']{0,200}(["'][^"']*)/g)) {
    if (value!.length <= LONGEST_ENTITY) continue;
    throw unusable(`${name} declares an entity longer than ${LONGEST_ENTITY} characters.`, 'Write it out.');
  }
  return head;
}
