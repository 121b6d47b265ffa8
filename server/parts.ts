/** The parts that decisions are made of, each alone. */
import type { z } from 'zod';
import { parseAs } from '../common/index.ts';
import { verifyAnswer } from '../generation/index.ts';
import { parseQuery } from '../router/commands/route-stream.ts';
import { NliPair, QueryPair, scoreNli, scoreRead, scoreRerank } from '../scorers/commands/score-stream.ts';
import type { App, Serving } from './app.ts';
import {
  ActRecord,
  answerToVerify,
  ClassifyBody,
  NliBody,
  NliRecord,
  PairBody,
  Ranking,
  ReadRecord,
  RerankRecord,
  RetrieveBody,
  VerificationRecord,
  VerifyBody,
  WhichCollection,
} from './contracts.ts';
import { gives, security, send, untilGone, withId } from './requests.ts';

/** Adds their paths. */
export function addParts(app: App, serving: Serving): void {
  const { service } = serving;
  const { scorers } = service;
  app.post(
    '/v1/retrieve',
    {
      config: { scope: 'retrieve' },
      schema: {
        operationId: 'retrieve',
        summary: 'Rank passages for a query',
        security,
        querystring: WhichCollection,
        body: RetrieveBody,
        response: gives(Ranking, 'Passages, best first'),
      },
    },
    async (request, reply) => {
      const { id = null, stage, k, ...query } = request.body;
      const { caller } = request;
      const which = request.query.collection;
      const hits = await service.using(caller, which, untilGone(reply), async (router, signal, { name }) => {
        const passages = await router.rank(stage, query, k, signal);
        await service.recordRead(caller, name, { query: query.query, passages });
        return passages;
      });
      const named = String(id ?? request.id);
      return send(reply, { schema: 'pragaura.ranking/1', id: named, query: query.query, stage, hits });
    },
  );
  app.post(
    '/v1/classify',
    {
      config: { scope: 'score' },
      schema: {
        operationId: 'classify',
        summary: 'The speech act of a query',
        security,
        body: ClassifyBody,
        response: gives(ActRecord, 'A distribution over the acts'),
      },
    },
    async (request, reply) => {
      const { id, query } = withId(request, request.body, parseQuery);
      // Which collection it is makes no difference: the models are the same.
      const [any] = service.collections.names(request.caller);
      const act = await service.using(request.caller, any, untilGone(reply), (router, signal) =>
        router.classify(query, signal),
      );
      return send(reply, { schema: 'pragaura.act/1', id, query, ...act });
    },
  );
  const score = <B extends z.ZodType, T>(
    job: string,
    body: B,
    parse: (value: unknown) => T,
    record: z.ZodType,
    run: (pair: T, signal: AbortSignal) => Promise<object>,
  ) =>
    app.post(
      `/v1/score/${job}`,
      {
        config: { scope: 'score' },
        schema: {
          operationId: `score${job[0]!.toUpperCase()}${job.slice(1)}`,
          summary: `Score a pair of texts: ${job}`,
          security,
          body,
          response: gives(record, 'The scores'),
        },
      },
      async (request, reply) => {
        const pair = withId(request, request.body as object, parse);
        const gone = untilGone(reply);
        return send(reply, await service.inTurn(request.caller, gone, (signal) => run(pair, signal)));
      },
    );
  const nli = parseAs(NliPair, 'For example {"premise": "Ada sleeps.", "hypothesis": "Ada is awake."}.');
  const pair = parseAs(QueryPair, 'For example {"query": "Who sleeps?", "passage": "Ada sleeps."}.');
  score('nli', NliBody, nli, NliRecord, (each, signal) => scoreNli(scorers, each, signal));
  score('rerank', PairBody, pair, RerankRecord, (each, signal) => scoreRerank(scorers, each, signal));
  score('read', PairBody, pair, ReadRecord, (each, signal) => scoreRead(scorers, each, signal));
  app.post(
    '/v1/verify',
    {
      config: { scope: 'score' },
      // Once, by the contract of the command: what it makes of passages is not what it takes.
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: 'verify',
        summary: 'Check every sentence of an answer against the passages that it leans on',
        security,
        body: VerifyBody,
        response: gives(VerificationRecord, 'What each sentence is worth'),
      },
    },
    async (request, reply) => {
      const { id, act, ...answer } = withId(request, request.body as object, answerToVerify);
      const { schema, ...verification } = await service.inTurn(request.caller, untilGone(reply), (signal) =>
        verifyAnswer(answer, { scorers, factuality: service.factuality, act, signal }),
      );
      return send(reply, { schema, id, ...verification });
    },
  );
}
