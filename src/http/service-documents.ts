import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLayers } from '../catalogue/describe-layers.ts';
import { describeLicences } from '../catalogue/describe-licences.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { projectDir } from '../project.ts';
import type { Config } from '../settings/config.ts';
import type { SnapshotManifest } from '../shared/contract/manifest.ts';
import type { ExamplesBody } from '../shared/wire/examples.ts';
import type { LayersBody } from '../shared/wire/layers.ts';
import type { LicencesBody } from '../shared/wire/licences.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Examples } from '../openapi/examples.ts';
import { readBaseMap } from './base-map.ts';
import { flatPrice, unitCostOf, type PriceReader } from '../accounts/billing/price.ts';
import type { PageSettings } from './page-document.ts';
import { contentOf, kept, type Content } from './content.ts';
import type { StoredExample, StoredExamples } from './stored-examples.ts';

/** What the service says of itself: its catalogue of layers, their licences, examples and what its page must know. Each is the same object until it changes. */
export interface ServiceDocuments {
  /** Of the snapshot in service. */
  readonly layers: () => LayersBody;
  readonly licences: () => LicencesBody;
  readonly page: () => PageSettings;
  /** An `ExamplesBody`. */
  readonly examples: () => Content;
}

interface Described {
  readonly catalogue: Catalogue;
  readonly snapshots: Pick<SnapshotService, 'manifest'>;
  readonly examples: Pick<StoredExamples, 'all'>;
  /** Null: nothing has a price. */
  readonly price: Pick<PriceReader, 'known'> | null;
}

/**
 * Makes the documents of a catalogue, for the snapshot in service.
 * @throws Error when the base map cannot be used.
 */
export function makeServiceDocuments(
  config: Pick<Config, 'tileUrl' | 'tileAttribution' | 'baseMap' | 'signup'>,
  { catalogue, snapshots, examples, price }: Described,
): ServiceDocuments {
  const ofSnapshot = () => [snapshots.manifest];
  const layers = kept(ofSnapshot, () => describeLayers(catalogue, snapshots.manifest));
  const licences = kept(ofSnapshot, () => describeLicences(catalogue, snapshots.manifest));
  const ofExamples = () => [snapshots.manifest, examples.all];
  const { tileUrl, tileAttribution } = config;
  const baseMap = config.baseMap === null ? null : readBaseMap(config.baseMap);
  return {
    layers,
    licences,
    examples: contentOf(ofExamples, () => JSON.stringify(listOf(snapshots.manifest, examples.all))),
    page: kept(
      () => [...ofExamples(), price?.known],
      () => {
        const { sample } = snapshots.manifest;
        return {
          tileUrl,
          tileAttribution,
          baseMap,
          examples: examples.all.map(({ outcome, address }) => ({ outcome, address })),
          layers: catalogue.answers.length,
          sample,
          signup: config.signup !== null,
          price: config.signup === null ? null : pricePerLookup(price),
        };
      },
    ),
  };
}

function listOf({ id, sample }: SnapshotManifest, examples: readonly StoredExample[]): ExamplesBody {
  return {
    snapshot: { id, sample },
    examples: examples.map(({ outcome, address }) => ({ outcome, address, url: `/api/examples/${outcome}` })),
  };
}

/** Null: it is not known, or depends on the number of lookups. */
function pricePerLookup(price: Described['price']): PageSettings['price'] {
  const flat = flatPrice(price?.known ?? null);
  return flat && { amount: unitCostOf(flat), currency: flat.currency };
}

/** `npm run draw-examples` writes them. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(join(projectDir, 'docs', 'api-examples.json'), 'utf8')) as Examples;
}
