/** What a client of the Model Context Protocol may ask of the collections, whatever it is connected by. */
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { packageVersion } from '../../common/index.ts';
import { verifyAnswer } from '../../generation/index.ts';
import type { Decision, Passage, Query } from '../../router/index.ts';
import { type Caller, mustHave } from '../callers.ts';
import { answerToVerify } from '../contracts.ts';
import type { Problem } from '../problems.ts';
import type { Service } from '../service.ts';
import { ASK_DESCRIPTION, quotedPassages, shownText } from '../turns.ts';
import { AskInput, AskOutput, SearchInput, SearchOutput, VerifyInput, VerifyOutput } from './contracts.ts';
import { DOCUMENT_TEMPLATE, listDocuments, readDocument, uriOf } from './documents.ts';

/** One request of a client. */
export interface Asking {
  caller: Caller;
  /** Fires when nobody waits for it any more. */
  signal: AbortSignal;
  /** What the caller is told of an error, noted on the way. */
  problemOf(error: unknown): Problem;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Of the protocol, for a resource that is none; the SDK has no name for it. */
const RESOURCE_NOT_FOUND = -32002;
/** Questions back that one question may lead to, and how long a person may think about each. */
const MOST_QUESTIONS = 4;
const THINKING_MS = 300_000;
const REPLY_CHARS = 4_000;

/** A server for one connection, whose requests `asking` tells apart. */
export function openMcpServer(service: Service, asking: (extra: Extra) => Asking): McpServer {
  const server = new McpServer(
    { name: 'pragaura', title: 'PragAURA', version: packageVersion() },
    {
      capabilities: { tools: {}, resources: {} },
      instructions:
        'Answers from the documents of its owner, in quotes. Use "ask" for questions, and pass on its question back or why ' +
        'there is no answer instead of guessing; "search" to read around; "verify" to check a text of your own.',
    },
  );
  addTools(server, service, asking);
  addResources(server, service, asking);
  return server;
}

function addTools(server: McpServer, service: Service, asking: (extra: Extra) => Asking): void {
  const add = <I extends z.ZodObject, O extends z.ZodObject>(
    name: string,
    about: { title: string; description: string; input: I; output: O },
    run: (input: z.output<I>, asking: Asking, extra: Extra) => Promise<CallToolResult>,
  ) => {
    const { title, description, input, output } = about;
    const annotations = { readOnlyHint: true, openWorldHint: false };
    const config = { title, description, inputSchema: input, outputSchema: output, annotations };
    const handler = async (given: unknown, extra: Extra): Promise<CallToolResult> => {
      const who = asking(extra);
      try {
        return await run(given as z.output<I>, who, extra);
      } catch (error) {
        const { code, detail, hint } = who.problemOf(error);
        return { isError: true, content: [text([`${code}: ${detail}`, hint ?? ''].join(' ').trim())] };
      }
    };
    server.registerTool(name, config, handler as never);
  };

  add(
    'ask',
    {
      title: 'Ask the documents',
      description: ASK_DESCRIPTION,
      input: AskInput,
      output: AskOutput,
    },
    async ({ question, history, collection }, who, extra) => {
      mustHave(who.caller, 'decide');
      const { decision, name } = await settled(server, service, who, extra, {
        question,
        history,
        collection,
      });
      const { action, answer, parts, clarification, abstention, caveats, guarantee, evidence } = decision;
      const quoted = quotedPassages(decision);
      const shown =
        quoted.size === 0 ? evidence.slice(0, 3) : evidence.filter((each) => quoted.has(each.passageId));
      const sources = shown.map((passage) => sourceOf(name, passage));
      const structuredContent = {
        ...{ action, answer, parts, clarification, abstention, caveats, guarantee },
        sources,
      };
      const links = [...new Map(sources.map((source) => [source.uri, source])).values()].map((source) => ({
        type: 'resource_link' as const,
        uri: source.uri,
        name: source.docId,
        title: source.title,
        mimeType: 'text/plain',
      }));
      return { structuredContent, content: [text(`${action}: ${shownText(decision)}`), ...links] };
    },
  );

  add(
    'search',
    {
      title: 'Search the documents',
      description: 'Find passages of the documents, best first, with where they stand.',
      input: SearchInput,
      output: SearchOutput,
    },
    async ({ query, k, collection }, { caller, signal }) => {
      mustHave(caller, 'retrieve');
      const { ranked, name } = await service.using(
        caller,
        collection,
        signal,
        async (router, own, { name }) => {
          const ranked = await router.rank('reranked', { query }, k, own);
          await service.recordRead(caller, name, { query, passages: ranked });
          return { ranked, name };
        },
      );
      const hits = ranked.map((passage) => {
        return { ...sourceOf(name, passage), text: passage.text, score: passage.score };
      });
      const lines = hits.map((hit) => `${hit.title} (${hit.uri})\n${hit.text}`);
      return { structuredContent: { hits }, content: [text(lines.join('\n\n') || 'Nothing was found.')] };
    },
  );

  add(
    'verify',
    {
      title: 'Check an answer',
      description:
        'Check each sentence of an answer against passages, which it cites as [1]: supported, unsupported, contradicted or unverifiable.',
      input: VerifyInput,
      output: VerifyOutput,
    },
    async (input, { caller, signal }) => {
      mustHave(caller, 'score');
      const { id: _, act, ...answer } = answerToVerify({ ...input, id: 'mcp' });
      const verification = await service.inTurn(caller, signal, (own) =>
        verifyAnswer(answer, { scorers: service.scorers, factuality: service.factuality, act, signal: own }),
      );
      const lines = verification.sentences.map(
        ({ start, end, label }) => `${label}: ${answer.answer.slice(start, end)}`,
      );
      return {
        structuredContent: { ...verification },
        content: [text(lines.join('\n') || 'There is no sentence.')],
      };
    },
  );
}

function text(said: string): { type: 'text'; text: string } {
  return { type: 'text', text: said };
}

function sourceOf(collection: string, { docId, passageId, title, source, position }: Passage) {
  return { docId, passageId, title, source, position, uri: uriOf(collection, docId) };
}

/** The decision, after what the client's user replied to questions back, where the client can ask. */
async function settled(
  server: McpServer,
  service: Service,
  { caller, signal }: Asking,
  extra: Extra,
  { question, history = [], collection }: z.output<typeof AskInput>,
): Promise<{ decision: Decision; name: string }> {
  let query: Query = { id: randomUUID(), query: question, history };
  for (let asked = 0; ; asked += 1) {
    const { decision, name } = await service.decide(caller, collection, query, { signal });
    const canAsk = server.server.getClientCapabilities()?.elicitation?.form !== undefined;
    if (decision.action !== 'ASK' || !canAsk || asked === MOST_QUESTIONS) return { decision, name };
    const waiting = AbortSignal.any([signal, service.draining]);
    const reply = await replyTo(server, decision.clarification!, extra, waiting);
    signal.throwIfAborted();
    if (reply === null) return { decision, name };
    const turns = [
      { role: 'user' as const, text: query.query },
      { role: 'assistant' as const, text: decision.clarification!.message },
    ];
    query = { id: randomUUID(), query: reply, history: [...(query.history ?? []), ...turns] };
  }
}

/** What the user says to a question back; null where nothing comes of it. */
async function replyTo(
  server: McpServer,
  { message, question }: NonNullable<Decision['clarification']>,
  { requestId }: Extra,
  signal: AbortSignal,
): Promise<string | null> {
  const choices = question?.options.map(({ value }) => value) ?? [];
  const words = { type: 'string' as const, maxLength: REPLY_CHARS };
  const properties = {
    ...(choices.length > 0 && { choice: { type: 'string' as const, title: 'Which one', enum: choices } }),
    reply: { ...words, title: choices.length > 0 ? 'Or in your own words' : 'Your answer' },
  };
  try {
    const { action, content } = await server.server.elicitInput(
      { message, requestedSchema: { type: 'object', properties } },
      { signal, timeout: THINKING_MS, relatedRequestId: requestId },
    );
    const said = [content?.reply, content?.choice].find(
      (each) => typeof each === 'string' && each.trim() !== '',
    );
    return action === 'accept' && said !== undefined ? String(said) : null;
  } catch {
    // Whoever asked is told the question, and may answer it in another turn.
    return null;
  }
}

function addResources({ server }: McpServer, service: Service, asking: (extra: Extra) => Asking): void {
  /** Runs `read`; throws what goes wrong as the protocol has it. */
  const { collections } = service;
  const reading = async <T>(extra: Extra, read: (caller: Caller) => T | Promise<T>): Promise<T> => {
    const { caller, problemOf } = asking(extra);
    try {
      mustHave(caller, 'retrieve');
      return await read(caller);
    } catch (error) {
      if (error instanceof McpError) throw error;
      const problem = problemOf(error);
      throw new McpError(ErrorCode.InvalidRequest, problem.detail, problem);
    }
  };
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, extra) =>
    reading(extra, async (caller) => {
      const page = await listDocuments(collections, caller, params?.cursor);
      if (page === null) throw new McpError(ErrorCode.InvalidParams, 'This is no cursor of this list.');
      return page;
    }),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: DOCUMENT_TEMPLATE,
        name: 'document',
        title: 'A document of a collection',
        description: 'Its text, passage by passage',
        mimeType: 'text/plain',
      },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, extra) =>
    reading(extra, async (caller) => {
      const found = await readDocument(collections, caller, uri);
      if (found === null) throw new McpError(RESOURCE_NOT_FOUND, 'There is no such document.', { uri });
      const { collection, docId, text } = found;
      await service.recordRead(caller, collection, { document: docId });
      return { contents: [{ uri, mimeType: 'text/plain', text }] };
    }),
  );
}
