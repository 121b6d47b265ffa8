import type { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import { recordParser, runRecords } from '../../common/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { FactualityThresholds } from '../factuality.ts';
import { AnswerToVerify } from '../record.ts';
import { verifyAnswer } from '../verify.ts';

const parse = recordParser<z.infer<typeof AnswerToVerify>>(
  AnswerToVerify as never,
  'One answer a line, for example {"id": "1", "answer": "It opened in 1932 [1].", "passages": ["The bridge was opened in 1932."]}.',
);

export interface VerifyStreamOptions {
  scorers: Pick<Scorers, 'nli'>;
  factuality?: FactualityThresholds | undefined;
  input: Readable;
  output: Writable;
  errors?: (message: string) => void;
  window: number;
  signal?: AbortSignal;
}

/** Verifies every line of `input`; gives the exit code. See `runRecords` for what bad lines get. */
export async function runVerify({ scorers, factuality, ...streams }: VerifyStreamOptions): Promise<number> {
  const summary = await runRecords({
    ...streams,
    parse,
    process: async ({ id, act, ...answer }, signal) => {
      const { schema, ...verification } = await verifyAnswer(answer, { scorers, factuality, act, signal });
      return { schema, id, ...verification };
    },
  });
  return summary.exitCode;
}
