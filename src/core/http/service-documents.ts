import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLayers } from '../layers/describe-layers.ts';
import { describeLicences } from '../layers/describe-licences.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { projectDir } from '../../project/project.ts';
import type { LayersBody } from '../../messages/wire/layers.ts';
import type { LicencesBody } from '../../messages/wire/licences.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Examples } from '../openapi/lookup-operations.ts';
import { kept } from './content.ts';

/** What the service says of itself: its catalogue of layers and their licences. Each is the same object until it changes. */
export interface ServiceDocuments {
  /** Of the snapshot in service. */
  readonly layers: () => LayersBody;
  readonly licences: () => LicencesBody;
}

/** Makes the documents of a catalogue, for the snapshot in service. */
export function makeServiceDocuments({
  catalogue,
  snapshots,
}: {
  catalogue: Catalogue;
  snapshots: Pick<SnapshotService, 'manifest'>;
}): ServiceDocuments {
  const ofSnapshot = () => [snapshots.manifest];
  return {
    layers: kept(ofSnapshot, () => describeLayers(catalogue, snapshots.manifest)),
    licences: kept(ofSnapshot, () => describeLicences(catalogue, snapshots.manifest)),
  };
}

/** `npm run draw-examples` writes them. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(join(projectDir, 'docs', 'api-examples.json'), 'utf8')) as Examples;
}
