import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { MAX_QUERY_CHARS } from '../contracts.ts';
import { type AskOptions, runAsk } from './ask-run.ts';

/** A question on standard input that is refused before an index is opened: the one here does not exist. */
const ask = (stdin: Readable, signal = new AbortController().signal) =>
  runAsk({
    question: ['-'],
    router: { index: 'nowhere' },
    history: undefined,
    json: false,
    explain: false,
    chat: false,
    signal,
    stdin: stdin as AskOptions['stdin'],
    stdout: new PassThrough() as unknown as AskOptions['stdout'],
  });

it('ends with the signal while it waits for the question', async () => {
  const stop = new AbortController();
  const stdin = new PassThrough();
  const asked = ask(stdin, stop.signal);
  stdin.write('Half a ques');
  const reason = new Error('Ctrl-C');
  stop.abort(reason);
  await expect(asked).rejects.toBe(reason);
  expect(stdin.destroyed).toBe(true);
  await expect(ask(new PassThrough(), stop.signal)).rejects.toBe(reason);
});

it('calls a question that is too long so, wherever its bytes were cut', async () => {
  const bytes = Buffer.from('山'.repeat(MAX_QUERY_CHARS + 2));
  for (const cut of [0, 1, 2]) {
    const stdin = Readable.from([bytes.subarray(0, bytes.length - cut), Buffer.from('more')]);
    await expect(ask(stdin)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('Too big'),
      hint: expect.stringContaining(`at most ${MAX_QUERY_CHARS} characters`),
    });
  }
  // The blanks may be followed by anything.
  const blanks = Readable.from([Buffer.from(`Why?${' '.repeat(MAX_QUERY_CHARS)}`)]);
  await expect(ask(blanks)).rejects.toMatchObject({ message: expect.stringContaining('Too big') });
});

it('calls bytes that are no UTF-8 so, at the end too', async () => {
  for (const bytes of [Buffer.from([0x57, 0xff, 0x79]), Buffer.from('山').subarray(0, 2)]) {
    await expect(ask(Readable.from([bytes]))).rejects.toMatchObject({
      message: 'The question on standard input is not valid UTF-8.',
    });
  }
});
