/** Log lines: NDJSON on standard error, with nothing in them that a user wrote. */
import { messageOf, PragauraError } from '../../common/index.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Only what is flat: an object could carry a payload along. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

const LONGEST = 500;
const CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/giu;

/** `redis://user:password@host` without what stands before the `@`. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIALS, '$1***@');
}

function safe(value: string): string {
  const text = withoutCredentials(value);
  return text.length <= LONGEST ? text : `${Array.from(text).slice(0, LONGEST).join('')}…`;
}

/**
 * A log that writes `{time, level, event, …fields}`, one object a line. Strings are cut at 500 characters and lose
 * the credentials of URLs; fields that are undefined are left out.
 */
export function openLog(options: {
  write: (line: string) => void;
  level: LogLevel;
  now?: () => number;
  /** In every line, such as the worker's name. */
  always?: LogFields;
}): Log {
  const now = options.now ?? Date.now;
  const least = LOG_LEVELS.indexOf(options.level);
  const at =
    (level: Exclude<LogLevel, 'silent'>) =>
    (event: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(level) < least) return;
      const line: LogFields = { time: new Date(now()).toISOString(), level, event };
      for (const [name, value] of Object.entries({ ...options.always, ...fields })) {
        if (!Object.hasOwn(line, name)) line[name] = typeof value === 'string' ? safe(value) : value;
      }
      options.write(`${JSON.stringify(line)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** An error of the worker itself. Of a job's error only the code is logged: its message may quote the query. */
export function errorFields(error: unknown): LogFields {
  const known = PragauraError.isInstance(error) ? error : undefined;
  return { code: known?.code ?? 'INTERNAL', message: messageOf(error), hint: known?.hint };
}
