/** Documents over HTTP: read at once, changed by jobs that can be followed. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { canonicalJson, PragauraError } from '../../common/index.ts';
import { Passage } from '../../corpus/index.ts';
import type { App, Serving } from '../app.ts';
import { NAMED, OfCollection } from '../contracts.ts';
import { HttpError } from '../problems.ts';
import { gives, problems, security, send } from '../requests.ts';
import { bytesOf, withBytes } from './content.ts';
import type { Change } from './documents.ts';
import { Job } from './inbox.ts';

const DocumentState = z.strictObject({
  id: z.string(),
  title: z.string(),
  source: z.string(),
  /** Of its content. */
  hash: z.string(),
  /** How many there are. */
  passages: z.number().int().min(0),
});
const DocumentList = z.strictObject({
  documents: z.array(DocumentState),
  /** To go on behind the last of them; null: that was all. */
  after: z.string().nullable(),
});
const DocumentText = DocumentState.extend({ passages: z.array(Passage) });

const NewDocument = withBytes({ id: z.string() });
const Changes = z
  .strictObject({
    put: z.array(NewDocument).max(1000).default([]),
    remove: z.array(z.string()).max(10_000).default([]),
  })
  .refine(({ put, remove }) => put.length + remove.length > 0, { message: 'nothing is to be changed' });

NAMED.add(Job, { id: 'Job' });

const OfDocument = OfCollection.extend({ document: z.string().min(1) });
const accepted = {
  202: { description: 'Accepted: it will be in the index', content: { 'application/json': { schema: Job } } },
  ...problems,
};
const KEY = /^[\x21-\x7e]{1,128}$/;
const WRITES = { scope: 'write' } as const;
const ASYNCHRONOUS =
  'It is accepted, and never lost from then on; the job at `Location` says when questions are answered by it. With an ' +
  '`Idempotency-Key` the same request leads to the same job.';

/** Adds their paths. */
export function addDocuments(app: App, serving: Serving): void {
  const { service } = serving;
  app.get(
    '/v1/collections/:collection/documents',
    {
      config: { scope: 'retrieve' },
      schema: {
        operationId: 'listDocuments',
        summary: 'The documents of a collection, in the order of their ids',
        security,
        params: OfCollection,
        querystring: z.strictObject({
          after: z.string().optional(),
          limit: z.coerce.number().int().min(1).max(1000).default(100),
        }),
        response: gives(DocumentList, 'So many of them'),
      },
    },
    async (request, reply) => {
      const lease = await service.collections.lease(request.params.collection, request.caller);
      try {
        const { after, limit } = request.query;
        const rest = lease.router.documents.filter(({ docId }) => after === undefined || docId > after);
        const shown = rest.slice(0, limit).map(stateOf);
        return send(reply, { documents: shown, after: rest.length > limit ? shown.at(-1)!.id : null });
      } finally {
        lease.release();
      }
    },
  );
  app.get(
    '/v1/collections/:collection/documents/:document',
    {
      config: { scope: 'retrieve' },
      schema: {
        operationId: 'getDocument',
        summary: 'A document, passage by passage',
        security,
        params: OfDocument,
        response: gives(DocumentText, 'What is indexed of it'),
      },
    },
    async (request, reply) => {
      const lease = await service.collections.lease(request.params.collection, request.caller);
      try {
        const entry = lease.router.documents.find(({ docId }) => docId === request.params.document);
        if (entry === undefined) throw new PragauraError('NOT_FOUND', 'There is no such document.');
        await service.recordRead(request.caller, lease.name, { document: entry.docId });
        return send(reply, { ...stateOf(entry), passages: await lease.router.passagesOf(entry) });
      } finally {
        lease.release();
      }
    },
  );
  app.register(async (scope) => {
    // As it is, of whatever type: how the id ends says how it is read.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    scope.withTypeProvider<ZodTypeProvider>().put(
      '/v1/collections/:collection/documents/:document',
      {
        config: WRITES,
        schema: {
          operationId: 'putDocument',
          summary: 'Put a document into a collection, or another in its place',
          description: `The body is the file; how the id ends says how it is read. ${ASYNCHRONOUS}`,
          security,
          consumes: ['application/octet-stream'],
          params: OfDocument,
          response: accepted,
        },
      },
      async (request, reply) => {
        const { document: id } = request.params;
        const bytes = (request.body as Buffer | undefined) ?? Buffer.of();
        if (bytes.length === 0) throw new HttpError(400, 'The document is empty.', 'The body is the file.');
        return change(serving, request, reply, { put: [{ id, bytes }], remove: [] }, bytes);
      },
    );
  });
  app.delete(
    '/v1/collections/:collection/documents/:document',
    {
      config: WRITES,
      schema: {
        operationId: 'deleteDocument',
        summary: 'Take a document out of a collection',
        description: ASYNCHRONOUS,
        security,
        params: OfDocument,
        response: accepted,
      },
    },
    async (request, reply) =>
      change(serving, request, reply, { put: [], remove: [request.params.document] }, ''),
  );
  app.post(
    '/v1/collections/:collection/documents::batch',
    {
      config: WRITES,
      schema: {
        operationId: 'changeDocuments',
        summary: 'Put documents into a collection and take others out, all by one job',
        description: ASYNCHRONOUS,
        security,
        params: OfCollection,
        body: Changes,
        response: accepted,
      },
    },
    async (request, reply) => {
      const { put, remove } = request.body;
      const documents = put.map((file) => ({ id: file.id, bytes: bytesOf(file) }));
      const empty = documents.find(({ bytes }) => bytes.length === 0);
      if (empty !== undefined) throw new PragauraError('INVALID_INPUT', `The document ${empty.id} is empty.`);
      const wanted = { put: documents, remove: [...new Set(remove)] };
      return change(serving, request, reply, wanted, canonicalJson(request.body));
    },
  );
  app.get(
    '/v1/jobs/:job',
    {
      config: WRITES,
      schema: {
        operationId: 'getJob',
        summary: 'What has come of a change',
        security,
        params: z.strictObject({ job: z.string().max(64) }),
        response: gives(Job, 'The job as it stands'),
      },
    },
    async (request, reply) => {
      const job = serving.documents?.job(request.caller, request.params.job) ?? null;
      if (job === null) throw new PragauraError('NOT_FOUND', 'There is no such job.');
      return send(reply, job);
    },
  );
}

function stateOf({
  docId,
  title,
  source,
  hash,
  passages,
}: {
  docId: string;
  title: string;
  source: string;
  hash: string;
  passages: number;
}): z.infer<typeof DocumentState> {
  return { id: docId, title, source, hash, passages };
}

async function change(
  { documents }: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: Pick<Change, 'put' | 'remove'>,
  body: string | Buffer,
): Promise<FastifyReply> {
  if (documents === null) {
    throw new PragauraError('NOT_PERMITTED', 'This server takes no documents.', {
      hint: 'Start it with --writable.',
    });
  }
  const key = request.headers['idempotency-key'] ?? null;
  if (key !== null && !KEY.test(String(key))) {
    throw new HttpError(400, 'An Idempotency-Key has 1 to 128 visible ASCII characters.');
  }
  const what = JSON.stringify([request.method, request.url]);
  const fingerprint = createHash('sha256').update(what).update(body).digest('hex');
  const { collection: name } = request.params as z.infer<typeof OfCollection>;
  const job = await documents.accept(request.caller, name, {
    key: key as string | null,
    fingerprint,
    ...wanted,
  });
  return send(reply.code(202).header('location', `/v1/jobs/${job.id}`), job);
}
