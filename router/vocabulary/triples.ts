import type { Transform } from 'node:stream';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { StreamParser } from 'n3';
import { RdfXmlParser } from 'rdfxml-streaming-parser';
import { messageOf } from '../../common/index.ts';
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
  await eachParsed(text, parserFor(format, name), take, (cause) =>
    unusable(
      `${name} is not sound ${NAMES[format]}: ${messageOf(cause)}`,
      'Check it with a validator, or give it the extension of its real format.',
      cause,
    ),
  );
}

const NAMES: Record<RdfFormat, string> = { turtle: 'Turtle', rdfxml: 'RDF/XML', jsonld: 'JSON-LD' };

function parserFor(format: RdfFormat, name: string): Transform {
  if (format === 'turtle') return new StreamParser({ format: 'turtle', baseIRI: BASE });
  if (format === 'rdfxml') {
    // The package's own stream class is the same as Node's; only the type differs.
    return new WholeRdfXml(name) as unknown as Transform;
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

const LONGEST_ENTITY = 256;

/** What the package's class keeps to itself. */
interface Sax {
  saxParser: { ENTITIES: Record<string, string>; close(): void };
}

/**
 * The parser takes a file that ends too early for a whole one, and entities of any length; this one does not. Entities
 * shorten namespaces: long ones blow a small file up to any size. What is looked at is what the parser made of the
 * document type, because no second reading of it would agree everywhere.
 */
class WholeRdfXml extends RdfXmlParser {
  readonly #name: string;

  constructor(name: string) {
    super({ baseIRI: BASE, trackPosition: true });
    this.#name = name;
  }

  override onDoctype(doctype: string): void {
    super.onDoctype(doctype);
    const { ENTITIES } = (this as unknown as Sax).saxParser;
    // Those that XML itself has are inherited.
    if (Object.values(ENTITIES).every((value) => value.length <= LONGEST_ENTITY)) return;
    throw unusable(
      `${this.#name} declares an entity longer than ${LONGEST_ENTITY} characters.`,
      'Write it out.',
    );
  }

  override _flush(callback: (error?: Error | null) => void): void {
    try {
      (this as unknown as Sax).saxParser.close();
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
