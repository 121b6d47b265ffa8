/** Errors of the operating system: which one it was, and what it means in plain words. */
import { messageOf } from './errors.ts';

/** Whether something that was thrown comes from the operating system, with one of these codes if any are given. */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return false;
  return codes.length === 0 || codes.includes(String(error.code));
}

const REASONS = new Map([
  ['EACCES', 'no permission'],
  ['EPERM', 'not permitted'],
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'is not in a folder'],
  ['EISDIR', 'is a folder'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the file would be larger than is allowed'],
  ['EROFS', 'the disk is read-only'],
  ['EMFILE', 'too many files are open'],
  ['EIO', 'the disk cannot be read or written'],
  ['ELOOP', 'is a loop of links'],
  ['ENAMETOOLONG', 'the name is too long'],
]);

/** What went wrong, without paths, so that it reads the same everywhere. */
export function systemReason(error: NodeJS.ErrnoException): string {
  return REASONS.get(error.code!) ?? error.code!;
}

/** What went wrong, in words: of the operating system's errors `systemReason`, of others their message. */
export function failureReason(error: unknown): string {
  return isSystemError(error) ? systemReason(error) : messageOf(error);
}
