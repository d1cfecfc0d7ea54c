/** What checks found, in one small file: the import's user writes it, and the service reads it (docs/decisions/0073). */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { makeFolder } from '../../core/files/make-folder.ts';
import { readSmallFile } from '../../core/files/read-small-file.ts';
import { replaceFileSync } from '../../core/files/replace.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { validatorOf } from '../../project/validators.ts';
import { closed, mapOf, nullable, oneOf, type Described } from '../../schema.ts';
import { messageOf } from '../../words.ts';
import { findings } from './judge.ts';

const text = Type.String({ maxLength: 1000 });
const time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$' });
const finding = oneOf(findings);

const keptSource = closed({
  dataSet: text,
  source: text,
  finding,
  reason: text,
  /** When it was first found, and last. */
  since: time,
  seenAt: time,
  /** The finding before this one, and when it was first and last found. */
  before: nullable(closed({ finding, since: time, until: time })),
  base: nullable(
    closed({
      at: time,
      id: Type.Integer(),
      featureCount: Type.Integer({ minimum: 0 }),
      missingFields: Type.Array(text),
      list: nullable(Type.Array(text)),
    }),
  ),
});
export type KeptSource = Described<typeof keptSource>;

const schema = closed({ format: Type.Literal(1), checkedAt: time, sources: mapOf(keptSource) });

/** By a name of each source, and when all were asked (UTC, ISO 8601). */
export type KeptChecks = Pick<Described<typeof schema>, 'checkedAt' | 'sources'>;

/** Twenty times what the province's sources take. */
const MOST_BYTES = 2 * 1024 ** 2;

/** Longest text of a server that is kept. */
const MOST_LETTERS = 600;

const isKept = validatorOf<KeptChecks>(schema);

export const keptFile = (dataDir: string): string => join(snapshotsFolder(dataDir), 'watched-sources.json');

/** Returns what is kept; null: nothing. @param onDamage is told of a file that cannot be read, which then counts as none. */
export function readKept(dataDir: string, onDamage: (why: string) => void): KeptChecks | null {
  const file = keptFile(dataDir);
  try {
    const kept: unknown = JSON.parse(readSmallFile(file, MOST_BYTES));
    if (isKept(kept)) return kept;
    onDamage(`${file} holds something else than checks of sources`);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') onDamage(`${file} cannot be read: ${messageOf(cause)}`);
  }
  return null;
}

/** Only one process may write at a time. */
export function writeKept(dataDir: string, checks: KeptChecks): void {
  const file = keptFile(dataDir);
  makeFolder(snapshotsFolder(dataDir));
  replaceFileSync(file, `${JSON.stringify({ format: 1, ...checks })}\n`);
  // Whatever the umask: the service reads it through its group.
  chmodSync(file, 0o640);
}

/** Returns a text of a server as it may stand in a line of a terminal. */
export function inOneLine(words: string): string {
  const line = words.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS)}…` : line;
}
