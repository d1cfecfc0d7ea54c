import type {
  AnswerDefinition,
  FieldFilter,
  MemberDefinition,
  ProximityAnswer,
} from '../../../src/shared/catalogue/definition.ts';
import type { Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import type { SnapshotManifest } from '../../../src/shared/contract/manifest.ts';
import { knownAroundM, outermostM } from '../answers/proximity.ts';
import { coverageEdgeOf } from './format.ts';
import type { IndexedDataSet } from './format.ts';

/**
 * Returns what the index must hold of each data set so that every answer comes from one leaf: features within the
 * largest distance at which one can matter.
 */
export function indexedDataSets(
  answers: Catalogue['answers'],
  { dataSets }: Pick<SnapshotManifest, 'dataSets'>,
): IndexedDataSet[] {
  const loaded = Object.keys(dataSets).map((id) => {
    const uses = answers.flatMap(({ dataSet, answer }) => usesOf(answer, dataSet.id === id, id));
    return {
      id,
      reachM: Math.max(0, ...uses.map((use) => use.reachM)),
      nearestOnly: uses.length > 0 && uses.every((use) => use.nearestOnly),
      fields: [...new Set(uses.flatMap((use) => use.fields))],
      inline: !uses.some((use) => use.readsNearestOfMany),
    };
  });
  const coverage = { id: 'coverage', reachM: 0, nearestOnly: false, fields: ['data_set'], inline: true };
  return [...loaded, coverage, ...coverageEdges(answers, dataSets)];
}

/** Returns the edges of coverage for data sets with `wholeBand`, which need the distance to the edge. */
function coverageEdges(answers: Catalogue['answers'], dataSets: SnapshotManifest['dataSets']): IndexedDataSet[] {
  const reaches = new Map<string, number>();
  for (const { dataSet, answer } of answers) {
    if (answer.kind !== 'proximity' || dataSets[dataSet.id]?.coverage !== 'area') continue;
    const reachM = Math.max(knownAroundM(answer), reaches.get(dataSet.id) ?? 0);
    if (reachM > 0) reaches.set(dataSet.id, reachM);
  }
  return [...reaches].map(([id, reachM]) => ({
    ...{ id: coverageEdgeOf(id), edgeOf: id, reachM, nearestOnly: true, fields: [], inline: true },
  }));
}

interface Use extends Pick<IndexedDataSet, 'reachM' | 'nearestOnly' | 'fields'> {
  readonly readsNearestOfMany: boolean;
}

function usesOf(answer: AnswerDefinition, isOwn: boolean, id: string): Use[] {
  const use = { reachM: 0, nearestOnly: false, fields: [] as string[], readsNearestOfMany: false };
  switch (answer.kind) {
    case 'boolean':
      return isOwn ? [use] : [];
    case 'value':
      return isOwn ? [{ ...use, fields: [answer.field] }] : [];
    case 'object':
      return isOwn ? [{ ...use, fields: fieldsOf(answer.members) }] : [];
    case 'count':
      return isOwn
        ? [{ ...use, reachM: answer.radiusM, fields: fieldsOf(answer.nearest), readsNearestOfMany: true }]
        : [];
    case 'proximity':
      return proximityUses(answer, isOwn, id);
  }
}

/**
 * The answer may ignore a feature because of an attribute, so a nearer feature does not always make a farther one
 * unnecessary.
 */
function proximityUses(answer: ProximityAnswer, isOwn: boolean, id: string): Use[] {
  const reachM = outermostM(answer);
  const bandFields = (answer.bandsFor ?? []).map(({ field }) => field);
  const asUse = (...filters: (FieldFilter | undefined)[]): Use => {
    const fields = [...bandFields, ...filters.flatMap((filter) => filter?.field ?? [])];
    return { reachM, nearestOnly: fields.length === 0, fields, readsNearestOfMany: false };
  };
  const partners = (answer.with ?? [])
    .filter((part) => part.dataSet === id)
    .map((part) => asUse(part.only, part.ignore));
  return isOwn ? [asUse(answer.only, answer.ignore), ...partners] : partners;
}

function fieldsOf(members: Readonly<Record<string, MemberDefinition>>): string[] {
  return Object.values(members).map(({ field }) => field);
}
