import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLayers } from '../layers/describe-layers.ts';
import { describeLicences } from '../layers/describe-licences.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { projectDir } from '../../project/project.ts';
import type { Config } from '../settings/config.ts';
import type { LayersBody } from '../../messages/wire/layers.ts';
import type { LicencesBody } from '../../messages/wire/licences.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Examples } from '../openapi/lookup-operations.ts';
import { readBaseMap } from './base-map.ts';
import type { PageMembers, PageSettings } from './page-document.ts';
import { kept } from './content.ts';

/** What the service says of itself: its catalogue of layers, their licences, examples and what its page must know. Each is the same object until it changes. */
export interface ServiceDocuments {
  /** Of the snapshot in service. */
  readonly layers: () => LayersBody;
  readonly licences: () => LicencesBody;
  readonly page: () => PageSettings;
}

interface Described {
  readonly catalogue: Catalogue;
  readonly snapshots: Pick<SnapshotService, 'manifest'>;
  /** What features add for the page. */
  readonly pageMembers: () => readonly PageMembers[];
}

/**
 * Makes the documents of a catalogue, for the snapshot in service.
 * @throws Error when the base map cannot be used.
 */
export function makeServiceDocuments(
  config: Pick<Config, 'tileUrl' | 'tileAttribution' | 'baseMap'>,
  { catalogue, snapshots, pageMembers }: Described,
): ServiceDocuments {
  const ofSnapshot = () => [snapshots.manifest];
  const layers = kept(ofSnapshot, () => describeLayers(catalogue, snapshots.manifest));
  const licences = kept(ofSnapshot, () => describeLicences(catalogue, snapshots.manifest));
  const { tileUrl, tileAttribution } = config;
  const baseMap = config.baseMap === null ? null : readBaseMap(config.baseMap);
  return {
    layers,
    licences,
    page: kept(
      () => [snapshots.manifest, ...pageMembers().flatMap(({ of }) => of)],
      () => ({
        ...{ tileUrl, tileAttribution, baseMap },
        ...{ layers: catalogue.answers.length, sample: snapshots.manifest.sample },
        ...{ examples: [], signup: false, price: null },
        ...(Object.assign({}, ...pageMembers().map(({ make }) => make())) as Partial<PageSettings>),
      }),
    ),
  };
}

/** `npm run draw-examples` writes them. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(join(projectDir, 'docs', 'api-examples.json'), 'utf8')) as Examples;
}
