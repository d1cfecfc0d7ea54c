/** What `POST /api/lookup?detail=full` answers. */
import Type from 'typebox';
import { closed, mapOf, nullable, oneOf, reference, type Described } from '../schema.ts';
import type { Geocode } from './geocode.ts';
import { lookupMembers } from './lookup.ts';
import type { NearGeometry } from './near-geometry.ts';

const state = oneOf(['present', 'absent', 'no_coverage', 'unavailable'], {
  description:
    'present: a value. absent: checked and not there; only this means "no". no_coverage: the data set does not cover this place. unavailable: the data set is not loaded, or its value is unknown.',
});
export type LayerState = Described<typeof state>;

export const evidenceSchema = closed(
  {
    state,
    distanceM: nullable(
      Type.Number({
        minimum: 0,
        description: 'Metres to the nearest feature that counts; 0 inside; null when none was found.',
      }),
    ),
    boundaryDistanceM: nullable(
      Type.Number({
        minimum: 0,
        description:
          'Metres to the nearest edge at which the answer could change: of a feature, of a band around it, or of the area that the data set covers; null when it is beyond the search radius.',
      }),
    ),
    nearBoundary: Type.Boolean({ description: 'True when the uncertainty of the position reaches that edge.' }),
    dataSets: Type.Array(Type.String(), { description: 'Ids of the data sets that were used.' }),
    feature: Type.Optional(
      nullable(
        mapOf(Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] }), {
          description:
            'Facts about the feature that decides the answer, such as who mapped it and on what basis; null when none was found. Only for layers whose sources differ from place to place; their descriptions name the members.',
        }),
      ),
    ),
  },
  { description: 'Evidence of an answer.' },
);
export type LayerEvidence = Described<typeof evidenceSchema>;

const evidence = reference<LayerEvidence>('Evidence');

/** The schema for a catalogue with these layer keys. */
export function fullLookupSchema(keys: readonly string[]) {
  return closed(
    {
      ...lookupMembers,
      geocode: reference<Geocode>('Geocode'),
      evidence: Type.Unsafe<Record<string, LayerEvidence>>(
        closed(Object.fromEntries(keys.map((key) => [key, evidence])), {
          description: 'Evidence of each answer, by layer key.',
        }),
      ),
      snapshot: closed(
        {
          id: Type.String({ description: 'Snapshot id.' }),
          createdAt: Type.String({ format: 'date-time' }),
          sample: Type.Boolean({ description: 'True when any of it is the invented sample, which is not real.' }),
        },
        { description: 'The data that answered.' },
      ),
      geometry: Type.Optional(reference<NearGeometry>('NearGeometry')),
    },
    { description: 'Answer of a lookup with detail=full.' },
  );
}
export type FullLookupBody = Described<ReturnType<typeof fullLookupSchema>>;
