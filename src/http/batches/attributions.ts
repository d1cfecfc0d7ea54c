import { join } from 'node:path';
import { attributionsOf, describeLicences } from '../../catalogue/describe-licences.ts';
import type { SnapshotManifest } from '../../shared/contract/manifest.ts';
import { readManifest } from '../../snapshots/current.ts';
import { snapshotsFolder } from '../../snapshots/folders.ts';
import type { Services } from '../services.ts';

/**
 * Returns the statements which the licences of a snapshot's data require. A snapshot that was deleted since then had the data of the one in
 * service, as far as anybody can tell.
 */
export function attributionOf(services: Services, snapshot: string): readonly string[] {
  return attributionsOf(describeLicences(services.catalogue, manifestOf(services, snapshot)));
}

function manifestOf({ snapshots, config }: Services, id: string): SnapshotManifest {
  const inService = snapshots.manifest;
  if (inService.id === id) return inService;
  try {
    return readManifest(join(snapshotsFolder(config.dataDir), id));
  } catch {
    return inService;
  }
}
