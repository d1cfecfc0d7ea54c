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
import { partKey, type Parts } from '../parts/parts.ts';

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

/** Addresses that the snapshot in service answers. What keeps some sets it. */
export const answeredAddresses = partKey<{ readonly all: readonly { readonly address: string }[] }>(
  'answered addresses',
);

const OF_SAMPLE = '12 Main St W, Sampleton, ON';
/** The body of a lookup as it stands in our documents. */
export const exampleOfSample = JSON.stringify({ address: OF_SAMPLE });
/** No address, because none is known that this service answers. */
const IN_WORDS = 'NUMBER STREET, MUNICIPALITY, ON';

/**
 * Returns a body for `POST /api/lookup` that this service answers, for everything that prints a command. While no example is stored, it has the sample's
 * address on the sample, and elsewhere words in place of an address. It can stand between single quotes of a shell.
 */
export function exampleRequest({
  parts,
  snapshots,
}: {
  readonly parts: Parts;
  readonly snapshots: Pick<SnapshotService, 'manifest'>;
}): string {
  const [stored] = parts.has(answeredAddresses) ? parts.of(answeredAddresses).all : [];
  const address = stored?.address ?? (snapshots.manifest.gazetteer?.sample === true ? OF_SAMPLE : IN_WORDS);
  return JSON.stringify({ address }).replaceAll("'", String.raw`\u0027`);
}
