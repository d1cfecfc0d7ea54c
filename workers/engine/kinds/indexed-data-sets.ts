import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { featureTables } from '../../../src/catalogue/side-tables.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import type { Snapshot } from '../../geopackage/snapshot.ts';
import type { Reading } from './kind.ts';
import { answerKinds, kindOf } from './kinds.ts';
import { CACHED_VALUES, coverageEdgeOf } from '../cells/format.ts';
import type { IndexedDataSet, OutlinedDataSet } from '../cells/format.ts';

/**
 * Returns what the index must hold of each data set so that every answer comes from one leaf: features within the
 * largest distance at which one can matter. `answers`: all, also further ones.
 */
export function indexedDataSets(
  answers: Catalogue['answers'],
  { dataSets }: Pick<SnapshotManifest, 'dataSets'>,
  kinds = answerKinds,
): IndexedDataSet[] {
  // Maps show what everybody is answered, and further data to those who ask for them.
  const plainAnswers = answers.filter(({ answer }) => answer.further !== true);
  const plain = { answers: plainAnswers, readings: readingsOf(plainAnswers, kinds) };
  const readings = readingsOf(answers, kinds);
  const furtherSets = furtherDataSets(answers, kinds);
  const loaded = featureTables(dataSets).map(({ table, dataSet, side, featureCount }) => {
    const uses = readings.filter((reading) => reading.dataSet === dataSet);
    const neededM = Math.max(0, ...uses.map((use) => use.reachM));
    const reachM = Math.max(neededM, ...uses.map(({ keptWithinM = 0 }) => keptWithinM));
    return {
      id: table,
      reachM,
      ...(reachM > neededM ? { neededM } : {}),
      nearestOnly: uses.length > 0 && uses.every((use) => use.nearestOnly),
      fields: [...new Set(uses.flatMap((use) => use.fields))],
      inline: !uses.some((use) => use.readsNearestOfMany) && featureCount > CACHED_VALUES,
      outlined:
        side === null ? outlinedOf(dataSet, furtherSets.has(dataSet) ? { answers, readings } : plain, kinds) : null,
      ...(furtherSets.has(dataSet) ? { further: true } : {}),
    };
  });
  const coverage = { id: 'coverage', reachM: 0, nearestOnly: false, fields: ['data_set'], inline: true };
  const edges = [...coverageReaches(answers, dataSets, kinds)].map(([id, reachM]) => ({
    id: coverageEdgeOf(id),
    edgeOf: id,
    reachM,
    nearestOnly: true,
    fields: [],
    inline: true,
    ...(furtherSets.has(id) ? { further: true } : {}),
  }));
  const sets: IndexedDataSet[] = [...loaded, coverage, ...edges];
  return [...sets.filter(({ further = false }) => !further), ...sets.filter(({ further = false }) => further)];
}

/** Returns the data sets that nothing but further answers reads. */
export function furtherDataSets(answers: Catalogue['answers'], kinds = answerKinds): ReadonlySet<string> {
  const readBy = (areFurther: boolean): Set<string> => {
    const some = answers.filter(({ answer }) => (answer.further === true) === areFurther);
    return new Set(readingsOf(some, kinds).map(({ dataSet }) => dataSet));
  };
  const plain = readBy(false);
  return new Set([...readBy(true)].filter((id) => !plain.has(id)));
}

function readingsOf(answers: Catalogue['answers'], kinds: typeof answerKinds): Reading[] {
  return answers.flatMap(({ dataSet, answer }) => kindOf(answer, kinds).readings(dataSet.id, answer));
}

/** Returns what answers need of the index. It has features as they were imported; those that are judged when they are read come from the tables. */
export function neededFromIndex(
  answers: Catalogue['answers'],
  { manifest, judged }: Pick<Snapshot, 'manifest' | 'judged'>,
): IndexedDataSet[] {
  return indexedDataSets(answers, manifest).filter(({ id }) => !judged.has(id));
}

/** Returns which features of a data set maps show: those at which one of its answers looks. A pipeline is no transmission line. */
function outlinedOf(
  id: string,
  { answers, readings }: { answers: Catalogue['answers']; readings: readonly Reading[] },
  kinds: typeof answerKinds,
): OutlinedDataSet | null {
  const own = answers.filter(({ dataSet }) => dataSet.id === id);
  const [first] = own;
  if (!first) return null;
  const choices = readings
    .filter((reading) => reading.dataSet === id)
    .map(({ only, ignore }) => ({ ...(only ? { only } : {}), ...(ignore ? { ignore } : {}) }));
  const labelField =
    own.map(({ answer }) => kindOf(answer, kinds).labelField(answer)).find((name) => name !== undefined) ??
    Object.keys(first.dataSet.fields).find((name) => name.includes('NAME'));
  return { choices, labelField: labelField ?? null };
}

/**
 * Data sets that know an area, and the width in metres of the band around a place that they must know as a whole: the index holds the edges of
 * what they know.
 */
function coverageReaches(
  answers: Catalogue['answers'],
  dataSets: SnapshotManifest['dataSets'],
  kinds: typeof answerKinds,
): ReadonlyMap<string, number> {
  const reaches = new Map<string, number>();
  for (const { dataSet, answer } of answers) {
    if (dataSets[dataSet.id]?.coverage !== 'area') continue;
    reaches.set(dataSet.id, Math.max(kindOf(answer, kinds).knownAroundM(answer), reaches.get(dataSet.id) ?? 0));
  }
  return reaches;
}
