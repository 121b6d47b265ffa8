/** The one class of n3 that is used; the package brings no types. */
declare module 'n3' {
  import type { Transform } from 'node:stream';

  export const StreamParser: new (options: { format: string; baseIRI: string }) => Transform;
}
