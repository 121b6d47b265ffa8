/** Addresses that a process listens on: their URL, and why it cannot. */
import { isIP } from 'node:net';
import { messageOf, PragauraError } from './errors.ts';
import { isSystemError } from './system-error.ts';

/** `options`: those that say host and port. */
export function cannotListen(
  { host, port }: { host: string; port: number },
  options: { host: string; port: string },
  cause: unknown,
): PragauraError {
  return new PragauraError('CONFIGURATION', `Cannot listen on ${host}, port ${port}: ${messageOf(cause)}`, {
    hint: isSystemError(cause, 'EADDRINUSE')
      ? `Say another ${options.port}; 0 takes any free one.`
      : `${options.host} must be an address of this machine.`,
    cause,
  });
}

export function urlOf(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
