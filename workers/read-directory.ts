/** Piscina's entry that reads the cell directory once, for all threads of a pool to share; null when the snapshot has no index. */
import { fail, type Outcome } from '../src/outcome.ts';
import type { ReadDirectoryTask } from '../src/pool/lookup-pool.ts';
import { readDirectory } from './cells/open.ts';
import { openSnapshot } from './snapshot.ts';

export default function readDirectoryTask({ snapshotDir }: ReadDirectoryTask): Outcome<SharedArrayBuffer | null> {
  try {
    const snapshot = openSnapshot(snapshotDir);
    const directory = snapshot.manifest.cells ? readDirectory(snapshot) : null;
    snapshot.close();
    return { ok: true, value: directory };
  } catch (cause) {
    return fail('DB_ERROR', cause instanceof Error ? cause.message : String(cause));
  }
}
