/**
 * Piscina's entry that looks at a snapshot before any lookup thread opens it: whether the file is the one that was published, and
 * the cell directory, read once for all threads of a pool to share (null when the snapshot has no index).
 */
import { fail, type Outcome } from '../src/outcome.ts';
import type { PrepareSnapshotTask } from '../src/pool/lookup-pool.ts';
import { readDirectory } from './cells/open.ts';
import { verifyChecksum } from './import/verify-snapshot.ts';
import { openSnapshot } from './snapshot.ts';

export default function prepareSnapshot(task: PrepareSnapshotTask): Outcome<SharedArrayBuffer | null> {
  const { snapshotDir, verify } = task;
  try {
    if (verify) verifyChecksum(snapshotDir);
    const snapshot = openSnapshot(snapshotDir);
    const directory = snapshot.manifest.cells ? readDirectory(snapshot) : null;
    snapshot.close();
    return { ok: true, value: directory };
  } catch (cause) {
    return fail('DB_ERROR', cause instanceof Error ? cause.message : String(cause));
  }
}
