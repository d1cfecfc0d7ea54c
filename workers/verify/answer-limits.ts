/** Distances at which answers change: the limits of bands and radiuses round features, and inside the edge of a known area. */
import type { Catalogue } from '../../src/shared/catalogue/catalogue.ts';
import { kindOf } from '../lookup/kinds/kinds.ts';

/** The table with the areas that data sets know. */
export const COVERAGE_TABLE = 'coverage';

/** A distance from the edges of a table's features, in ground metres. */
export interface AnswerLimit {
  readonly table: string;
  readonly distanceM: number;
}

/**
 * Returns each limit once, in a fixed order: those of answers round the features of their data sets, and for the areas that data sets know the edge
 * itself and each of these distances from it, because beyond it nothing is known.
 */
export function answerLimits(answers: Catalogue['answers']): AnswerLimit[] {
  const limits = answers.flatMap(({ dataSet, answer }) => {
    const kind = kindOf(answer);
    const tables = [...kind.readings(dataSet.id, answer).map((reading) => reading.dataSet), COVERAGE_TABLE];
    return (kind.limitsM?.(answer) ?? []).flatMap((distanceM) => tables.map((table) => ({ table, distanceM })));
  });
  const all = [{ table: COVERAGE_TABLE, distanceM: 0 }, ...limits];
  return [...new Map(all.map((limit) => [`${limit.table} ${limit.distanceM}`, limit])).values()];
}
