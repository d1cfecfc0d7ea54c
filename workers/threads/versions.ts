/** Piscina's entry for `land-lookup --version`: says which GDAL is loaded, and the formats of data that threads write. */
import type { MessagePort } from 'node:worker_threads';
import type { Outcome } from '../../src/messages/outcome.ts';
import type { ThreadVersions } from '../../src/messages/worker-data.ts';
import { gdal } from '../geopackage/gdal.ts';
import { JOURNAL_FORMAT } from '../journal/open.ts';
import { CELL_FORMAT } from '../engine/cells/format.ts';
import { FORMAT as SUGGESTIONS_FORMAT } from '../suggest/name-list.ts';

export default function run({ progress }: { readonly progress: MessagePort }): Outcome<ThreadVersions> {
  progress.close();
  const formats = { usage: JOURNAL_FORMAT, cells: CELL_FORMAT, suggestions: SUGGESTIONS_FORMAT };
  return { ok: true, value: { gdal: gdal.version, formats } };
}
