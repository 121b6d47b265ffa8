/** Errors and counts as OpenAI's clients read them. */
import type { FastifyRequest } from 'fastify';
import { notedProblem, type Serving } from '../app.ts';
import type { Problem } from '../problems.ts';
import type { Generated } from './contracts.ts';

export interface ToldError {
  message: string;
  type: string;
  param: null;
  code: string;
}

const TYPES: Partial<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** A problem in OpenAI's words. */
export function toldOf({ status, code, detail, hint }: Problem): ToldError {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { message: hint === undefined ? detail : `${detail} ${hint}`, type, param: null, code };
}

/** What is told of an error in the middle of a stream, noted on the way. */
export function errorOf(serving: Serving, error: unknown, request: FastifyRequest): ToldError {
  return toldOf(notedProblem(serving, error, request));
}

/** Tokens of the language model that worded the answer: none where none did. As it counts them, else as we do. */
export function usageOf({ generation }: Generated) {
  const prompt = generation?.usage.promptTokens ?? generation?.budget.promptTokens.spent ?? 0;
  const generated = generation?.usage.generatedTokens ?? generation?.budget.generatedTokens.spent ?? 0;
  return { prompt_tokens: prompt, completion_tokens: generated, total_tokens: prompt + generated };
}
