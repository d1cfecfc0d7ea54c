import type { DataSetDescription, LayerDescription, LayersBody } from '../../messages/wire/layers.ts';
import type { DataSetRecord, SnapshotManifest } from '../../messages/manifest.ts';
import type { AnswerDefinition, DataSetDefinition } from '../../catalogue/definition.ts';
import type { CatalogueKind, KindDescription } from '../../catalogue/kinds/kind.ts';
import { catalogueKindOf, catalogueKinds } from '../../catalogue/kinds/kinds.ts';
import { allAnswers, type Catalogue } from '../../catalogue/catalogue.ts';

/** Attribution of the invented sample, which is not the work of the publisher in the definition. */
export const SAMPLE_NOTICE = 'Hand-drawn sample data, not real';

/** Returns the catalogue as clients see it: the definitions, and what the snapshot contains of them. */
export function describeLayers(catalogue: Catalogue, manifest: SnapshotManifest, kinds = catalogueKinds): LayersBody {
  const { id, createdAt, sample } = manifest;
  const dataSets = new Map(catalogue.dataSets.map((dataSet) => [dataSet.id, describeDataSet(dataSet, manifest)]));
  return {
    snapshot: { id, createdAt, sample },
    layers: allAnswers(catalogue).map(({ dataSet, answer }) => {
      const kind = catalogueKindOf(answer, kinds);
      const partners = kind.partners?.(answer) ?? [];
      return {
        ...describeAnswer(answer, kind),
        dataSets: [dataSet.id, ...partners.map((part) => part.dataSet)].map((one) => dataSets.get(one)!),
      };
    }),
    addresses: describeRegister(manifest),
  };
}

/** Returns the address register as clients see it; null when none is loaded. */
export function describeRegister({ gazetteer }: SnapshotManifest): LayersBody['addresses'] {
  return (
    gazetteer && {
      title: gazetteer.title,
      publisher: gazetteer.publisher,
      licence: gazetteer.licence,
      attribution: gazetteer.sample ? SAMPLE_NOTICE : gazetteer.attribution,
      asOf: gazetteer.asOf,
      sample: gazetteer.sample,
    }
  );
}

const nothing: KindDescription = { values: null, members: null, bandsM: null, specialBandsM: null, radiusM: null };

function describeAnswer(
  answer: AnswerDefinition,
  described: CatalogueKind<AnswerDefinition>,
): Omit<LayerDescription, 'dataSets'> {
  const { key, title, description, french = null, group, reader = null, kind, further = false } = answer;
  return { key, title, description, french, group, reader, kind, further, ...nothing, ...described.describe(answer) };
}

/** Returns a data set as clients see it: its definition, and what the snapshot contains of it. */
export function describeDataSet(dataSet: DataSetDefinition, manifest: SnapshotManifest): DataSetDescription {
  const { id, title, publisher, french = null, licence, limits = [], announced = [] } = dataSet;
  const record = manifest.dataSets[id];
  return {
    id,
    title,
    publisher,
    french,
    limits,
    announced,
    provenance: provenanceOf(dataSet, record),
    licence: { id: licence.id, url: licence.url },
    sourceUntil: record?.sample === true ? null : (dataSet.sourceUntil ?? null),
    // The attribution of a download also names its parts.
    attribution: record?.sample === true ? SAMPLE_NOTICE : (record?.attribution ?? licence.attribution),
    ...(record ? describeRecord(record) : notLoaded),
  };
}

function provenanceOf({ provenance = [] }: DataSetDefinition, record: DataSetRecord | undefined): readonly string[] {
  const { refused = [], keptParts = [], keptAreas = [] } = record ?? {};
  return [
    ...provenance,
    ...refused.map(({ part, reason }) => `Not in use, so that nothing is known in its area: ${part} (${reason}).`),
    ...keptParts.map(
      ({ part, since, reason }) =>
        `Not refreshed since ${since.slice(0, 10)}, so that it is as it was: ${part} (${reason}).`,
    ),
    ...keptAreas.map(({ part, reason }) => `In use in the area of an earlier import: ${part} (${reason}).`),
  ];
}

type Loaded = Omit<
  DataSetDescription,
  | 'id'
  | 'title'
  | 'publisher'
  | 'french'
  | 'licence'
  | 'attribution'
  | 'limits'
  | 'announced'
  | 'provenance'
  | 'sourceUntil'
>;

const notLoaded: Loaded = {
  state: 'not_loaded',
  sample: false,
  asOf: null,
  asOfFrom: null,
  importedAt: null,
  coverage: null,
  featureCount: null,
};

function describeRecord({ sample, asOf, asOfFrom, importedAt, coverage, featureCount }: DataSetRecord): Loaded {
  return { state: 'loaded', sample, asOf, asOfFrom, importedAt, coverage, featureCount };
}
