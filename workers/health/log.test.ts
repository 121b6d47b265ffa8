import { expect, test } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { errorFields, type LogLevel, openLog } from './log.ts';

function lines(level: LogLevel) {
  const written: string[] = [];
  const log = openLog({ write: (line) => written.push(line), level, now: () => 0, always: { worker: 'w' } });
  return { log, written, parsed: () => written.map((line) => JSON.parse(line)) };
}

test('one object a line, whatever the text', () => {
  const { log, written, parsed } = lines('info');
  log.info('started', { text: 'a\nb\u001b[31m\u2028', nothing: undefined, n: 1 });
  expect(written).toHaveLength(1);
  expect(written[0]!.indexOf('\n')).toBe(written[0]!.length - 1);
  expect(written[0]).not.toContain('\u001b');
  expect(parsed()[0]).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    event: 'started',
    worker: 'w',
    text: 'a\nb\u001b[31m\u2028',
    n: 1,
  });
});

test('a field cannot pass for the time, level or event', () => {
  const { log, parsed } = lines('info');
  log.warn('real', { event: 'forged', level: 'info', time: 'never' });
  expect(parsed()[0]).toMatchObject({ event: 'real', level: 'warn', time: '1970-01-01T00:00:00.000Z' });
});

test.each([
  'redis://:s3cret@host:1/0',
  'rediss://user:s3cret@host',
  'redis+sentinel://:s3cret@a:1,b:2/m',
  'first redis://u:s3cret@h, then redis://:s3cret@g',
])('no password of a URL: %s', (url) => {
  const { log, written } = lines('info');
  log.error('failed', { message: `cannot use ${url}` });
  expect(written[0]).not.toContain('s3cret');
});

test('long strings are cut', () => {
  const { log, parsed } = lines('info');
  log.info('long', { text: '😀'.repeat(10_000) });
  expect(Array.from(parsed()[0].text)).toHaveLength(501);
});

test('levels', () => {
  for (const [level, count] of [
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ] as const) {
    const { log, written } = lines(level);
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(written).toHaveLength(count);
  }
});

test('errors of the worker are logged with code and hint', () => {
  expect(errorFields(new PragauraError('QUEUE_UNAVAILABLE', 'gone', { hint: 'start it' }))).toEqual({
    code: 'QUEUE_UNAVAILABLE',
    message: 'gone',
    hint: 'start it',
  });
  expect(errorFields(new TypeError('oops'))).toMatchObject({ code: 'INTERNAL', message: 'oops' });
});
