/** Members that features add to answers, and what they are told of the place. */
import { allAnswers, type Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { LookupDetail } from '../../../src/messages/lookup.ts';
import type { Answered, AnsweredLayer, AnsweredPlace, ServedSnapshot } from '../feature.ts';
import type { PlaceView } from '../views/view.ts';
import { answerLayer } from './answer-layer.ts';
import { evidenceOf } from './evidence.ts';

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
export type SaidOfLayers = Map<string, Pick<AnsweredLayer, 'given' | 'evidence'>>;

interface OfPlace extends Pick<AnsweredPlace, 'answers' | 'uncertaintyM' | 'lookupId'> {
  readonly view: PlaceView;
  readonly catalogue: Pick<Catalogue, 'answers' | 'further'>;
  readonly sourceUntil: ReadonlyMap<string, string>;
  readonly said: SaidOfLayers;
}

/** Tells features of a place. What the answer has not said yet is found when it is asked for. */
export function answeredPlace({ view, catalogue, sourceUntil, said, ...place }: OfPlace): AnsweredPlace {
  const layer = (key: string): AnsweredLayer | null => {
    const found = allAnswers(catalogue).find(({ answer }) => answer.key === key);
    if (!found) return null;
    let known = said.get(key);
    if (known === undefined) {
      const given = answerLayer(view, found.dataSet, found.answer);
      known = { given, evidence: evidenceOf(view, { ...found, given, uncertaintyM: place.uncertaintyM, sourceUntil }) };
      said.set(key, known);
    }
    return { ...found, ...known };
  };
  return { kind: 'place', ...place, layer };
}
