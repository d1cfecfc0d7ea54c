import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLayers } from '../catalogue/describe-layers.ts';
import { describeLicences } from '../catalogue/describe-licences.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { projectDir, type Config } from '../config.ts';
import type { LayersBody } from '../shared/wire/layers.ts';
import type { LicencesBody } from '../shared/wire/licences.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Examples } from '../openapi/examples.ts';
import { readBaseMap } from './base-map.ts';
import { flatPrice, unitCostOf, type PriceReader } from '../accounts/billing/price.ts';
import type { PageSettings } from './page-document.ts';
import type { StoredExamples } from './stored-examples.ts';

/** What the service says of itself: its catalogue of layers, their licences and what its page must know. */
export interface ServiceDocuments {
  /** Of the snapshot in service. */
  readonly layers: () => LayersBody;
  readonly licences: () => LicencesBody;
  readonly page: () => PageSettings;
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
  const layers = () => describeLayers(catalogue, snapshots.manifest);
  const licences = () => describeLicences(catalogue, snapshots.manifest);
  const { tileUrl, tileAttribution } = config;
  const baseMap = config.baseMap === null ? null : readBaseMap(config.baseMap);
  return {
    layers,
    licences,
    page: () => {
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
