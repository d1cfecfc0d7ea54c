/** Members that features add to answers, and what they are told of the place. */
import type { LookupDetail } from '../../../src/messages/lookup.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import type { Answered, AnsweredLayer, AnsweredPlace, Nearest, ServedSnapshot } from '../feature.ts';
import type { PlaceView } from '../views/view.ts';
import { answerLayer } from './answer-layer.ts';
import { evidenceOf } from './evidence.ts';
import { nearestToPlace } from './nearest.ts';

/** Returns the members with their names, a comma before each. One whose feature is left out is left out too: a batch may be older than FEATURES. */
export function membersJson(
  { members }: Pick<ServedSnapshot, 'members'>,
  asked: NonNullable<LookupDetail['members']>,
  answered: Answered,
): string {
  let json = '';
  for (const [feature, what] of Object.entries(asked)) {
    const member = members.get(feature);
    if (member) json += `,"${member.name}":${member.write(what, answered)}`;
  }
  return json;
}

/** What an answer has said of layers, by key. */
export type SaidOfLayers = Map<string, AnsweredLayer>;

interface OfPlace extends Pick<AnsweredPlace, 'answers' | 'uncertaintyM' | 'lookupId'> {
  readonly view: PlaceView;
  readonly from: Pick<ServedSnapshot, 'cells' | 'sourceUntil'>;
  readonly said: SaidOfLayers;
}

/** Tells features of a place. What the answer has not said yet is found when it is asked for. */
export function answeredPlace({ view, from, answers, uncertaintyM, lookupId, said }: OfPlace): AnsweredPlace {
  const { cells, sourceUntil } = from;
  const find = (key: string) => answers.find(({ answer }) => answer.key === key);
  const layer = (key: string): AnsweredLayer | null => {
    const known = said.get(key);
    if (known !== undefined) return known;
    const found = find(key);
    if (!found) return null;
    const given = answerLayer(view, found.dataSet, found.answer);
    let evidence: LayerEvidence | undefined;
    const answered: AnsweredLayer = {
      ...{ ...found, given },
      // It looks farther around than the answer does.
      get evidence() {
        return (evidence ??= evidenceOf(view, { ...found, given, uncertaintyM, sourceUntil }));
      },
    };
    said.set(key, answered);
    return answered;
  };
  // Rules ask for the same distances, and for so few that a list is faster than a map with texts for both.
  const told: { readonly key: string; readonly withinM: number; readonly nearest: Nearest | null }[] = [];
  const nearest = (key: string, withinM: number): Nearest | null => {
    for (const one of told) if (one.withinM === withinM && one.key === key) return one.nearest;
    const found = find(key);
    const known = found ? nearestToPlace(view, cells, found, { withinM, uncertaintyM }) : null;
    told.push({ key, withinM, nearest: known });
    return known;
  };
  return { kind: 'place', answers, uncertaintyM, lookupId, layer, nearest };
}
