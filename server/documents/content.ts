/** Bytes of a file in JSON: text, or base64. */
import { z } from 'zod';

const CONTENT = { text: z.string().optional(), base64: z.base64().optional() };

/** An object of this shape with the bytes of a file. */
export function withBytes<S extends z.core.$ZodLooseShape>(shape: S) {
  return z
    .strictObject({ ...shape, ...CONTENT })
    .refine(
      ({ text, base64 }: { text?: unknown; base64?: unknown }) =>
        (text === undefined) !== (base64 === undefined),
      {
        message: 'a document has either "text" or "base64"',
      },
    );
}

export function bytesOf({
  text,
  base64,
}: {
  text?: string | undefined;
  base64?: string | undefined;
}): Buffer {
  return text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(text);
}
