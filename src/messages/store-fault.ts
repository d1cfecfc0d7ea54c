/** What an operator does about failures, by the codes of SQLite and of the operating system. */
const advices: readonly (readonly [RegExp, string])[] = [
  [
    /^(SQLITE_(FULL|IOERR)|ENOSPC|EDQUOT|EIO)/,
    'check whether the disk is full (df) or failing (dmesg), and free some space',
  ],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EROFS|EACCES|EPERM)/,
    'mount the disk for writing, and give the user of this process the rights to the file and its folder',
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    'the file is damaged: restore it from a backup, or move it aside, which loses what it holds',
  ],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'another process holds the file: try again, or end that process'],
  [/^(EMFILE|ENFILE)/, 'raise the limit of open files (LimitNOFILE, ulimit -n)'],
  [/^(ENOENT|ENOTDIR|EISDIR|EEXIST|ELOOP|ENAMETOOLONG)/, 'check the path'],
];

/** Returns what to do about an error with a code of SQLite or of the system; null for another one. */
export function adviceFor(cause: unknown): string | null {
  const code = codeOf(cause);
  return code === null ? null : (advices.find(([codes]) => codes.test(code))?.[1] ?? null);
}

/** A store that cannot be opened or used: its message names the file and says what to do. */
export class StoreFault extends Error {
  /** Of SQLite or of the system. */
  readonly code: string;

  constructor(file: string, cause: Error & { readonly code: string }, advice: string) {
    super(`${file} cannot be used (${cause.message}): ${advice}`, { cause });
    this.code = cause.code;
  }
}

/** Does work on the file of a store. @throws StoreFault in place of an error that says nothing of the file; other errors as they are. */
export function onStore<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const advice = cause instanceof StoreFault ? null : adviceFor(cause);
    throw advice === null ? cause : new StoreFault(file, cause as Error & { readonly code: string }, advice);
  }
}

function codeOf(cause: unknown): string | null {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : null;
}
