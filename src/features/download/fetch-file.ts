import type { DataSetDefinition } from '../../catalogue/definition.ts';
import type { DownloadedFile, DownloadedSource } from '../../messages/import.ts';
import { dateFields } from '../../messages/downloads/effective-field.ts';
import { downloadFile } from './download-file.ts';
import { FileStore, type FileState } from './file-store.ts';
import type { DownloadContext, SurveyedFile } from './survey-data-sets.ts';

/** One source of a data set that is on the disk. */
export interface Fetched {
  readonly source: DownloadedSource;
  /** An area in which a part knows the answer, not features. */
  readonly isCoverage: boolean;
  readonly attribution: string | null;
  /** Identifies the content; null when it cannot be distinguished from a later one. */
  readonly version: string | null;
  readonly editedMs: number | null;
  /** Date of the file; the data itself may have a better date. */
  readonly filedMs: number | null;
  readonly finishedAt: string;
  /** As in `DownloadedDataSet`. */
  readonly remark: string | null;
}

/** The second attempt is for a file that was damaged on its way. */
const MOST_ATTEMPTS = 2;

/**
 * Fetches a file. It also inspects a package, because another source can replace it. A package that is damaged inside
 * is fetched once more.
 * @throws Error when it cannot be fetched, or a package does not fit the definition.
 */
export async function fetchFile(
  definition: DataSetDefinition,
  { folder, remote: { file } }: SurveyedFile,
  context: DownloadContext,
  onBytes: (bytes: number) => void,
): Promise<Fetched> {
  const { url, isPackage } = file;
  const { retry, idleMs, minFreeBytes = 0 } = context;
  const store = new FileStore(folder, url);
  for (let attempt = 1; ; attempt++) {
    const state = await downloadFile({ url, folder, retry, idleMs, minFreeBytes, onBytes });
    const source = downloaded(file, store.pathOf(state), state);
    if (!isPackage) return fetched(source, state, { editedMs: dateOf(state), filedMs: null });
    const { problem, isDamaged } = await context.inspect(definition, source);
    if (problem === null) {
      if (state.check !== 'sound') store.writeState({ ...state, check: 'sound' });
      return fetched({ ...source, isChecked: true }, state, { editedMs: null, filedMs: dateOf(state) });
    }
    const isHopeless = state.check === 'damaged at its server';
    if (isDamaged && !isHopeless) store.writeState({ ...state, check: 'damaged' });
    if (!isDamaged || isHopeless || attempt === MOST_ATTEMPTS) throw new Error(problem);
  }
}

function downloaded(
  { url, layer, where, crs, rename, isPackage }: SurveyedFile['remote']['file'],
  path: string,
  { check }: FileState,
): DownloadedFile {
  return {
    kind: 'file',
    name: url,
    path,
    layer,
    where,
    crs,
    rename,
    dateFields: isPackage ? dateFields : [],
    isChecked: check === 'sound',
  };
}

function fetched(
  source: DownloadedFile,
  { sha256, finishedAt }: FileState,
  dates: Pick<Fetched, 'editedMs' | 'filedMs'>,
): Fetched {
  return { source, isCoverage: false, attribution: null, version: sha256, ...dates, finishedAt, remark: null };
}

function dateOf({ lastModified }: FileState): number | null {
  const ms = lastModified === null ? NaN : Date.parse(lastModified);
  return Number.isNaN(ms) ? null : ms;
}
