/** What `GET /status.json` answers, made of the snapshot in service and of what checks and the operator have left on the disk. */
import { Type } from 'typebox';
import { contentOf, kept } from '../../core/http/content.ts';
import type { Services } from '../../core/http/services.ts';
import { describeDataSet } from '../../core/layers/describe-layers.ts';
import { partKey } from '../../core/parts/parts.ts';
import { settingsOf } from '../../core/settings/config.ts';
import type { DataSetDefinition } from '../../catalogue/definition.ts';
import { announcedChange, sourceUntilSchema } from '../../messages/wire/layers.ts';
import { closed, nullable, oneOf, type Described } from '../../schema.ts';
import { byGravity, findings, type Finding } from './judge.ts';
import { type KeptChecks, type KeptSource, readKept } from './kept-checks.ts';
import { sourcesSettings } from './settings.ts';
import { readBeginning } from '../../core/files/read-small-file.ts';
import { MINUTE_MS } from '../../messages/time.ts';
import { messageOf } from '../../words.ts';

const time = Type.String({ format: 'date-time' });
const day = Type.String({ format: 'date' });
const text = Type.String();

const check = closed(
  {
    finding: oneOf(findings, {
      description:
        'overdue: not renewed within its term. fewer: 5 % of the features are gone. gone: the server has it no more, or not for everybody.',
    }),
    since: day,
    checkedAt: time,
    before: nullable(closed({ finding: Type.Unsafe<Finding>(text), since: day, until: day })),
  },
  { description: 'The gravest finding of the last check of its sources; null: none is kept on this machine.' },
);

const dataSet = closed({
  ...{ id: text, title: text, asOf: nullable(day), sourceUntil: sourceUntilSchema },
  term: nullable(
    closed({ days: Type.Integer(), stated: text }, { description: 'Within so many days its source renews it.' }),
  ),
  check: nullable(check),
  announced: Type.Array(announcedChange),
});

export const statusSchema = closed({
  upSince: { ...time, description: 'When the process that answers began.' },
  snapshot: text,
  note: nullable(Type.String({ description: 'What the operator says; null: nothing.' })),
  checkedAt: nullable(time),
  dataSets: Type.Array(dataSet),
});
export type StatusBody = Described<typeof statusSchema>;

export const statusPart = partKey<ReturnType<typeof openStatus>>('sources');

const upSince = new Date(performance.timeOrigin).toISOString();

export function openStatus({ catalogue, config, logger, snapshots }: Services) {
  const { statusNote } = settingsOf(config, sourcesSettings);
  const onFault = (detail: string): void => {
    logger.warn('the status page lacks something', { detail });
  };
  const { checks, note } = keptFiles({ dataDir: config.dataDir, statusNote, onFault });
  /** The same until something of it changes. */
  const body = kept(
    () => [snapshots.manifest, checks(), note()],
    (): StatusBody => ({
      ...{ upSince, snapshot: snapshots.manifest.id, note: note(), checkedAt: checks()?.checkedAt ?? null },
      dataSets: catalogue.dataSets.map((one) => describe(one, snapshots.manifest, checks())),
    }),
  );
  const json = contentOf(
    () => [body()],
    () => JSON.stringify(body()),
  );
  return { checks, body, json };
}

/** Says no reasons: they may name servers and folders of the operator. "land-lookup sources" has them. */
function describe(
  definition: DataSetDefinition,
  manifest: Services['snapshots']['manifest'],
  checks: KeptChecks | null,
): StatusBody['dataSets'][number] {
  const { id, title, asOf, sourceUntil, announced } = describeDataSet(definition, manifest);
  const one = gravestOf(checks, id);
  const before = one?.before ?? null;
  return {
    ...{ id, title, asOf, sourceUntil, term: definition.term ?? null, announced },
    check: one && {
      ...{ finding: one.finding, since: one.since.slice(0, 10), checkedAt: one.seenAt },
      before: before && { ...before, since: before.since.slice(0, 10), until: before.until.slice(0, 10) },
    },
  };
}

/** Returns the gravest finding of a data set's sources; null: none is kept. */
export function gravestOf(checks: KeptChecks | null, dataSet: string): KeptSource | null {
  const own = Object.values(checks?.sources ?? {}).filter((one) => one.dataSet === dataSet);
  return own.toSorted((one, other) => byGravity(one.finding, other.finding))[0] ?? null;
}

/** Letters of the operator's note that are shown. */
const MOST_LETTERS = 2000;

interface KeptFilesOptions {
  readonly dataDir: string;
  readonly statusNote: string | null;
  /** Is told of a file that cannot be read. */
  readonly onFault: (why: string) => void;
  /** Ticks evenly. */
  readonly clockMs?: () => number;
}

/** What checks and the operator have left on the disk, each read once a minute when somebody asks. The values are the same until they change. */
export function keptFiles({ dataDir, statusNote, onFault, clockMs = () => performance.now() }: KeptFilesOptions) {
  const eachMinute = <T>(read: () => T): (() => T) => {
    let last: { readonly atMs: number; readonly value: T; readonly text: string } | undefined;
    return () => {
      const atMs = clockMs();
      if (last !== undefined && atMs - last.atMs < MINUTE_MS) return last.value;
      const value = read();
      const text = JSON.stringify(value);
      last = last?.text === text ? { ...last, atMs } : { atMs, value, text };
      return last.value;
    };
  };
  return {
    checks: eachMinute(() => readKept(dataDir, onFault)),
    note: eachMinute(() => (statusNote === null ? null : readNote(statusNote, onFault))),
  };
}

/** Null without a note. */
function readNote(file: string, onFault: (why: string) => void): string | null {
  try {
    // Four bytes a letter.
    const letters = readBeginning(file, 4 * MOST_LETTERS)
      .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .trim();
    return letters === '' ? null : Array.from(letters).slice(0, MOST_LETTERS).join('');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') onFault(`STATUS_NOTE cannot be read: ${messageOf(cause)}`);
    return null;
  }
}
