import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLayers } from '../catalogue/describe-layers.ts';
import { describeLicences } from '../catalogue/describe-licences.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { projectDir, type Config } from '../config.ts';
import type { LayersBody } from '../shared/wire/layers.ts';
import type { LicencesBody } from '../shared/wire/licences.ts';
import type { SnapshotManifest } from '../shared/contract/manifest.ts';
import type { Examples } from '../openapi/examples.ts';
import { readBaseMap } from './base-map.ts';
import type { PageSettings } from './page-document.ts';

/** What the service says of itself: its catalogue of layers, their licences and what its page must know. */
export interface ServiceDocuments {
  /** Of the snapshot in service. */
  readonly layers: () => LayersBody;
  readonly licences: () => LicencesBody;
  readonly page: () => PageSettings;
}

/** City halls, and addresses of the bundled sample. */
const ADDRESSES_TO_TRY = [
  '100 Queen St W, Toronto, ON',
  '110 Laurier Ave W, Ottawa, ON',
  '216 Ontario St, Kingston, ON',
];
const SAMPLE_ADDRESSES_TO_TRY = [
  '31 Main St E, Sampleton, ON',
  '4 Wharf Lane, Maple Sample, ON',
  '13 Marsh Rd, Fiddlehead Corners, ON',
  '14 rue Principale, Petit-Échantillon, ON',
];

/**
 * Makes the documents of a catalogue; `manifestInService` gives the snapshot that `layers` and the page speak of.
 * @throws Error when the base map cannot be used.
 */
export function makeServiceDocuments(
  config: Pick<Config, 'tileUrl' | 'tileAttribution' | 'baseMap' | 'signup'>,
  catalogue: Catalogue,
  manifestInService: () => SnapshotManifest,
): ServiceDocuments {
  const layers = () => describeLayers(catalogue, manifestInService());
  const licences = () => describeLicences(catalogue, manifestInService());
  const { tileUrl, tileAttribution } = config;
  const baseMap = config.baseMap === null ? null : readBaseMap(config.baseMap);
  return {
    layers,
    licences,
    page: () => {
      const { sample, gazetteer } = manifestInService();
      return {
        tileUrl,
        tileAttribution,
        baseMap,
        examples: gazetteer?.sample ? SAMPLE_ADDRESSES_TO_TRY : ADDRESSES_TO_TRY,
        layers: catalogue.answers.length,
        sample,
        signup: config.signup !== null,
      };
    },
  };
}

/** `npm run draw-examples` writes them. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(join(projectDir, 'docs', 'api-examples.json'), 'utf8')) as Examples;
}
