import type { ObjectAnswer } from '../../../src/catalogue/definition.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Hit } from '../views/view.ts';
import { AnswersByFeature } from './answers-by-feature.ts';
import { decidingAtPlace, nearestEdgeM, readingAtPlace, unknownWhereUnclear, type AnswerKind } from './kind.ts';
import { fieldsOf, memberValue } from './member-value.ts';

/** Shared with areas, whose parts have the same values. */
export const objectAnswers = new AnswersByFeature(objectValue);

/** Several attributes of the feature at the point. */
export const objectKind: AnswerKind<ObjectAnswer> = {
  answer: (view, dataSet, answer) => objectAnswers.at(view, dataSet, answer),
  nearestChangeM: nearestEdgeM,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  readings: (dataSet, { members, deciding = {} }) => [
    readingAtPlace(dataSet, [...fieldsOf(members), ...fieldsOf(deciding)]),
  ],
  deciding: (view, tables, { given, answer: { deciding } }) => decidingAtPlace(view, tables, { given, deciding }),
  besideUnclear: unknownWhereUnclear,
  labelField: ({ members }) => {
    const named = Object.values(members).find((member) => member.required);
    return named?.otherwise?.field ?? named?.field;
  },
};

/** Returns null when a required member is unknown. */
function objectValue(hit: Pick<Hit, 'attributes'>, { members }: ObjectAnswer): Record<string, Attribute> | null {
  const value: Record<string, Attribute> = {};
  for (const [name, member] of Object.entries(members)) {
    value[name] = memberValue(hit, member);
    if (member.required === true && value[name] === null) return null;
  }
  return value;
}
