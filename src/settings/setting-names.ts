/** Names of environment variables that are meant to be settings. */

/** Settings that other programs of an installation read from the same files. */
const OF_SCRIPTS = ['BACKUP_DIR', 'RECONCILE_JOURNALS', 'REFRESH_LAYERS_FROM', 'REFRESH_ADDRESSES_FROM', 'FOLLOW_FROM'];

/** Settings of commands that ask a server. */
const OF_CLIENTS = ['LAND_LOOKUP_URL', 'LAND_LOOKUP_KEY'];

/** What a file of settings may also hold: variables of Node.js, of the C library, of OpenSSL and of the library for object stores. */
const OF_OTHERS = /^(NODE_\w+|TZ|LANG|LC_\w+|SSL_\w+|AWS_\w+|PATH|HOME|TMPDIR)$/;

export interface UnknownName {
  readonly given: string;
  /** The setting that was probably meant; null: none is near. */
  readonly meant: string | null;
}

/**
 * Returns the names that are no setting, each with the setting whose name it is one or two typing errors away from.
 * @param settings names that `config.ts` reads.
 */
export function unknownNames(names: readonly string[], settings: readonly string[]): readonly UnknownName[] {
  const known = new Set([...settings, ...OF_SCRIPTS, ...OF_CLIENTS]);
  return names
    .filter((name) => !known.has(name))
    .map((given) => ({ given, meant: [...known].find((name) => isMistyped(given.toUpperCase(), name)) ?? null }))
    .filter(({ given, meant }) => meant !== null || !OF_OTHERS.test(given));
}

/** Short names are near to many words, so they may have fewer errors. */
function isMistyped(given: string, name: string): boolean {
  const mostErrors = name.length < 6 ? 0 : name.length < 9 ? 1 : 2;
  return Math.abs(given.length - name.length) <= mostErrors && typingErrors(given, name) <= mostErrors;
}

/** Letters that were added, left out, changed or swapped with their neighbour (optimal string alignment). */
function typingErrors(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const errors = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      next.push(isSwapped ? Math.min(errors, before[j - 2]! + 1) : errors);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
