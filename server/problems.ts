/** What went wrong, as RFC 9457 has it. */
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, PragauraError } from '../common/index.ts';

/** `code`: stable, for programs; `instance`: of this request, as the log of the server has it. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  instance: z.string(),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  hint: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Codes that are the caller's matter, or pass; any other is this side's. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  INVALID_INPUT: 400,
  CALIBRATION_MISMATCH: 422,
  CALIBRATION_UNUSABLE: 422,
  WRITE_FAILED: 503,
  USAGE: 400,
  TOKEN_REFUSED: 401,
  NOT_PERMITTED: 403,
  NOT_FOUND: 404,
  EMPTY_INPUT: 400,
  CONFLICT: 409,
  TOO_BUSY: 429,
  ABORTED: 503,
  AUDIT_FAILED: 503,
  DEFAULTS_LOCKED: 503,
  MEMORY_LOCKED: 503,
  TICKETS_LOCKED: 503,
  INDEX_LOCKED: 503,
  ISSUER_UNAVAILABLE: 503,
  MODEL_UNUSABLE: 503,
  NO_WORKER: 503,
  BACKEND_UNAVAILABLE: 503,
  QUEUE_UNAVAILABLE: 503,
  JOB_LOST: 503,
  JOB_FAILED: 503,
  SCORING_FAILED: 503,
  DEADLINE_EXCEEDED: 504,
};

const TITLES: Partial<Record<number, string>> = {
  400: 'The request does not fit',
  401: 'Who is asking?',
  403: 'Not permitted',
  404: 'Not found',
  405: 'Another method is wanted',
  409: 'Not as things stand',
  408: 'The request took too long to arrive',
  413: 'The request is too large',
  414: 'The address is too long',
  415: 'Another type is wanted',
  422: 'The request does not fit',
  429: 'Too much is asked at once',
  431: 'The headers are too large',
  503: 'Not now',
  504: 'It took too long',
};

/** An error that is about HTTP, with its status. */
export class HttpError extends PragauraError {
  readonly status: number;

  constructor(status: number, message: string, hint?: string) {
    super('INVALID_INPUT', message, hint === undefined ? {} : { hint });
    this.status = status;
  }
}

/** What the framework throws about a request carries its status. */
interface Thrown {
  statusCode?: unknown;
  code?: unknown;
  message?: unknown;
  validation?: { instancePath?: string; message?: string }[];
}

const WORDS: Record<string, [message: string, hint: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'The body is larger than this server takes.',
    'A stream has no limit but that of a line; whoever runs the server sets it with --max-body.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'This type of content is not taken here.',
    'Send "Content-Type: application/json", for a stream "application/x-ndjson".',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['The body is empty.', 'For example {"query": "Who wrote it?"}'],
};

/** Anything that was thrown, as one of ours. */
export function asKnown(error: unknown): PragauraError {
  if (PragauraError.isInstance(error)) return error;
  const { statusCode, code, message, validation } = (error ?? {}) as Thrown;
  if (validation !== undefined) {
    const issues = validation.slice(0, 3).map(({ instancePath = '', message: said = '' }) => {
      const where = instancePath.split('/').filter(Boolean).join('.');
      return (where === '' ? said : `${where}: ${said}`).slice(0, 200);
    });
    return new PragauraError('INVALID_INPUT', issues.join('; '), {
      hint: 'The contract is at /openapi.json.',
    });
  }
  if (typeof statusCode === 'number' && statusCode < 500) {
    const [said, hint] = WORDS[String(code)] ?? [String(message)];
    return new HttpError(statusCode, said, hint);
  }
  return new PragauraError('INTERNAL', String(message ?? error), { cause: error });
}

/** The problem of an error. What goes wrong on this side is told to the log, not to the caller. */
export function problemOf(error: PragauraError, requestId: string): Problem {
  const { code, message, hint } = error;
  const status = error instanceof HttpError ? error.status : (STATUS[code] ?? 500);
  const ours = status >= 500 && code !== 'DEADLINE_EXCEEDED' && code !== 'ABORTED';
  return {
    type: `urn:pragaura:error:${code}`,
    title: TITLES[status] ?? (status < 500 ? 'The request does not fit' : 'The server failed'),
    status,
    detail: ours ? 'This could not be done; the log of the server says why.' : message,
    instance: `urn:uuid:${requestId}`,
    code,
    ...(hint !== undefined && !ours && { hint }),
  };
}
