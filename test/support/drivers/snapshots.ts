import { join } from 'node:path';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { SnapshotService } from '../../../src/core/pool/snapshot-service.ts';
import { currentSnapshot } from '../../../src/core/snapshots/current.ts';
import { sampleDataDir } from '../material/sample-data.ts';
import { capturingLogger } from './front-end.ts';
import { PATIENT_DEADLINE_MS } from './patience.ts';
import { oncePerProcess } from './process-end.ts';

let read: Catalogue | undefined;

const ownCatalogue = (): Catalogue => (read ??= readCatalogue(join(projectDir, 'layers')));

/** The snapshot that a folder has in service, with one thread. */
export function openSnapshots(dataDir: string): Promise<SnapshotService> {
  const pool = {
    threads: 1,
    deadlineMs: PATIENT_DEADLINE_MS,
    startsLate: true,
    catalogue: ownCatalogue(),
  };
  return SnapshotService.start({ dataDir, logger: capturingLogger().logger, pollMs: 1_000_000, pool });
}

/** The sample, with the thread that the suites of a process share. Nobody closes it, or puts another snapshot into service. */
export const sharedSample = oncePerProcess(
  () => openSnapshots(sampleDataDir()),
  (snapshots) => snapshots[Symbol.asyncDispose](),
);

/** Has rows of batches on the sample of this process wait, as they do behind other work; returns what lets them go. */
export async function holdRows(): Promise<() => void> {
  const { pool } = await sharedSample();
  const lookupRows = pool.lookupRows.bind(pool);
  let open = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  pool.lookupRows = async (rows) => {
    await isOpen;
    return lookupRows(rows);
  };
  return () => {
    pool.lookupRows = lookupRows;
    open();
  };
}

/** Whether a data folder has nothing else in service than the sample that was imported once for all (`ownSampleFolder`). */
export function servesSharedSample(dataDir: string): boolean {
  return currentSnapshot(dataDir)?.dir === currentSnapshot(sampleDataDir())!.dir;
}

/** Whether a snapshot is the one of `sharedSample`, and answered by the same definitions. */
export function servesSnapshotOfSample(snapshotDir: string, { version }: Catalogue): boolean {
  return snapshotDir === currentSnapshot(sampleDataDir())!.dir && version === ownCatalogue().version;
}
