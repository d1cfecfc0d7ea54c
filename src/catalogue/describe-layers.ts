import type { DataSetDescription, LayerDescription, LayersBody } from '../shared/contract/layers.ts';
import { proximityClasses } from '../shared/contract/lookup.ts';
import type { DataSetRecord, SnapshotManifest } from '../shared/contract/manifest.ts';
import type { AnswerDefinition, DataSetDefinition } from '../shared/catalogue/definition.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';

/** Attribution of the invented sample, which is not the work of the publisher in the definition. */
export const SAMPLE_NOTICE = 'Hand-drawn sample data, not real';

/** Returns the catalogue as clients see it: the definitions, and what the snapshot contains of them. */
export function describeLayers(catalogue: Catalogue, manifest: SnapshotManifest): LayersBody {
  const { id, createdAt, sample, gazetteer } = manifest;
  const dataSets = new Map(catalogue.dataSets.map((dataSet) => [dataSet.id, describeDataSet(dataSet, manifest)]));
  return {
    snapshot: { id, createdAt, sample },
    layers: catalogue.answers.map(({ dataSet, answer }) => ({
      ...describeAnswer(answer),
      dataSets: [dataSet.id, ...partnersOf(answer)].map((one) => dataSets.get(one)!),
    })),
    addresses: gazetteer && {
      title: gazetteer.title,
      publisher: gazetteer.publisher,
      licence: gazetteer.licence,
      attribution: gazetteer.sample ? SAMPLE_NOTICE : gazetteer.attribution,
      asOf: gazetteer.asOf,
      sample: gazetteer.sample,
    },
  };
}

function partnersOf(answer: AnswerDefinition): readonly string[] {
  return answer.kind === 'proximity' ? (answer.with ?? []).map((part) => part.dataSet) : [];
}

function describeAnswer(answer: AnswerDefinition): Omit<LayerDescription, 'dataSets'> {
  const { key, title, description, french = null, group, kind } = answer;
  return {
    ...{ key, title, description, french, group, kind },
    values: valuesOf(answer),
    members: membersOf(answer),
    bandsM: answer.kind === 'proximity' ? { inside: answer.insideWithinM ?? 0, ...answer.bands } : null,
    specialBandsM:
      answer.kind === 'proximity' && answer.bandsFor
        ? answer.bandsFor.map(({ values, bands }) => ({ for: values, bandsM: { ...answer.bands, ...bands } }))
        : null,
    radiusM: answer.kind === 'count' ? answer.radiusM : null,
  };
}

/** Returns every value except null, which means "not known" or, where a place is in no feature, "none". */
export function valuesOf(answer: AnswerDefinition): readonly (string | boolean)[] | null {
  switch (answer.kind) {
    case 'boolean':
      return [true, false];
    case 'proximity':
      return proximityClasses;
    case 'value':
      return answer.codes ? [...new Set(Object.values(answer.codes))] : null;
    case 'object':
    case 'count':
      return null;
  }
}

/** Name -> meaning of an object's members, in the order of the response. */
export function membersOf(answer: AnswerDefinition): Readonly<Record<string, string>> | null {
  const describe = (members: Readonly<Record<string, { readonly description: string }>>): [string, string][] =>
    Object.entries(members).map(([name, { description }]) => [name, description]);
  if (answer.kind === 'object') return Object.fromEntries(describe(answer.members));
  if (answer.kind !== 'count') return null;
  return {
    [answer.members.count]: `Number of features within ${answer.radiusM} m.`,
    [answer.members.nearestDistanceM]: `Metres to the nearest of them; null when there is none.`,
    ...Object.fromEntries(describe(answer.nearest)),
  };
}

function describeDataSet(dataSet: DataSetDefinition, manifest: SnapshotManifest): DataSetDescription {
  const { id, title, publisher, licence, notes = [] } = dataSet;
  const record = manifest.dataSets[id];
  return {
    ...{ id, title, publisher, notes },
    licence: { id: licence.id, url: licence.url },
    // The attribution of a download also names its parts.
    attribution: record?.sample === true ? SAMPLE_NOTICE : (record?.attribution ?? licence.attribution),
    ...(record ? describeRecord(record) : notLoaded),
  };
}

type Loaded = Omit<DataSetDescription, 'id' | 'title' | 'publisher' | 'licence' | 'attribution' | 'notes'>;

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
