import type { Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import { proximityClasses } from '../../../src/shared/catalogue/proximity-classes.ts';
import { answerLayer } from '../../../workers/lookup/answers/answer-layer.ts';
import type { PlaceView } from '../../../workers/lookup/views/view.ts';
import { fieldsOf } from './statement.ts';

type Answer = Catalogue['answers'][number];
type Row = Readonly<Record<string, unknown>>;

/** Keys of the answers that differ between our view of a place and its row of the statement. */
export function differingKeys(view: PlaceView, answers: readonly Answer[], row: Row): string[] {
  return answers
    .filter((one) => JSON.stringify(ours(view, one)) !== JSON.stringify(theirs(row, one)))
    .map(({ answer }) => answer.key);
}

function ours(view: PlaceView, one: Answer): unknown {
  const { dataSet, answer } = one;
  const value = answerLayer(view, dataSet, answer).value as Row;
  if (answer.kind === 'boolean' || answer.kind === 'proximity') return value;
  if (answer.kind === 'count') return [value[answer.members.count], value[answer.members.nearestDistanceM]];
  const [hit] = view.near(dataSet.id, 0);
  return hit ? fieldsOf(one).map((field) => hit.attributes[field] ?? null) : null;
}

function theirs(row: Row, one: Answer): unknown {
  const { answer } = one;
  const column = (name: string): unknown => row[`${answer.key}.${name}`];
  if (answer.kind === 'boolean') return column('present') === true;
  if (answer.kind === 'proximity') return proximityClasses[(column('class') ?? 3) as number];
  if (answer.kind === 'count') {
    const distance = column('distance') as number | null;
    return [column('count') ?? 0, distance === null ? null : Math.round(distance)];
  }
  const values = fieldsOf(one).map(column);
  return values.every((value) => value === null) ? null : values;
}
