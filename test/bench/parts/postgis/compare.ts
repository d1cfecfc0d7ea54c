import type { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { proximityClasses } from '../../../../src/catalogue/proximity-class-names.ts';
import type { LayerValue } from '../../../../src/messages/wire/lookup.ts';
import { answerLayer } from '../../../../workers/engine/kinds/kinds.ts';
import type { PlaceView } from '../../../../workers/engine/views/view.ts';
import { fieldsOf } from './statement.ts';

type Answer = Catalogue['answers'][number];
type Row = Readonly<Record<string, unknown>>;
/** What both sides say, in the same form. */
type Comparable = LayerValue | readonly unknown[];

/** Keys of the answers that differ between our view of a place and its row of the statement. */
export function differingKeys(view: PlaceView, answers: readonly Answer[], row: Row): string[] {
  return answers
    .filter((one) => JSON.stringify(ours(view, one)) !== JSON.stringify(theirs(row, one)))
    .map(({ answer }) => answer.key);
}

function ours(view: PlaceView, one: Answer): Comparable {
  const { dataSet, answer } = one;
  const { value } = answerLayer(view, dataSet, answer);
  switch (answer.kind) {
    case 'boolean':
    case 'proximity':
      return value;
    case 'count':
      return [(value as Row)[answer.members.count], (value as Row)[answer.members.nearestDistanceM]];
    case 'value':
    case 'object': {
      const [hit] = view.near(dataSet.id, 0);
      return hit ? fieldsOf(one).map((field) => hit.attributes[field] ?? null) : null;
    }
  }
}

function theirs(row: Row, one: Answer): Comparable {
  const { answer } = one;
  const column = (name: string): unknown => row[`${answer.key}.${name}`];
  switch (answer.kind) {
    case 'boolean':
      return column('present') === true;
    case 'proximity':
      return proximityClasses[(column('class') ?? 3) as number]!;
    case 'count': {
      const distance = column('distance') as number | null;
      return [column('count') ?? 0, distance === null ? null : Math.round(distance)];
    }
    case 'value':
    case 'object': {
      const values = fieldsOf(one).map(column);
      return values.every((value) => value === null) ? null : values;
    }
  }
}
