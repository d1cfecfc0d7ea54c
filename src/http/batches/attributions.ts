import { join } from 'node:path';
import { attributionsOf, describeLicences } from '../../catalogue/describe-licences.ts';
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import type { SnapshotManifest } from '../../shared/contract/manifest.ts';
import { readManifest } from '../../snapshots/current.ts';
import { snapshotsFolder } from '../../snapshots/folders.ts';

export interface AttributionSources {
  readonly dataDir: string;
  readonly catalogue: Catalogue;
  readonly manifestInService: () => SnapshotManifest;
}

/**
 * Makes a function that returns the statements which the licences of a snapshot's data require. A snapshot that was deleted since then had
 * the data of the one in service, as far as anybody can tell.
 */
export function attributionsBySnapshot({ dataDir, catalogue, manifestInService }: AttributionSources) {
  const manifestOf = (id: string): SnapshotManifest => {
    const inService = manifestInService();
    if (inService.id === id) return inService;
    try {
      return readManifest(join(snapshotsFolder(dataDir), id));
    } catch {
      return inService;
    }
  };
  return (id: string): readonly string[] => attributionsOf(describeLicences(catalogue, manifestOf(id)));
}
