/** What `POST /api/lookup?detail=full` answers. */
import { Type, type TProperties, type TSchema } from 'typebox';
import { EDGE_SEARCH_M } from '../lookup.ts';
import { closed, mapOf, nullable, oneOf, reference, type Described } from '../../schema.ts';
import type { Geocode } from './geocode.ts';
import { lookupMembers } from './lookup.ts';
import type { WithGeometry } from './near-geometry.ts';

/** What each state of an answer means. Only `absent` means "no". */
export const layerStates = {
  present: 'a value',
  absent: 'checked and not there; only this means "no"',
  no_coverage: 'the data set does not cover this place',
  unavailable: 'the data set is not loaded, or its value is unknown',
} as const;
export type LayerState = keyof typeof layerStates;

const state = oneOf(Object.keys(layerStates) as LayerState[], {
  description: Object.entries(layerStates)
    .map(([name, meaning]) => `${name}: ${meaning}.`)
    .join(' '),
});

export const evidenceSchema = closed(
  {
    state,
    distanceM: nullable(
      Type.Number({
        minimum: 0,
        description:
          'Metres to the feature that decides the answer, which is that of `feature`; 0 inside; null when none was found that counts: see searchedM.',
      }),
    ),
    searchedM: nullable(
      Type.Number({
        minimum: 0,
        description:
          'Metres around the place within which this answer looks for every feature; 0: at the place itself. A distanceM of null beside it means that the nearest feature is beyond. Null when nothing was searched, because the data set is not loaded or does not reach the place: no distance is known then.',
      }),
    ),
    boundaryDistanceM: nullable(
      Type.Number({
        minimum: 0,
        description: `Metres to the nearest edge at which the answer could change: of a feature, of a band around it, or of the area that the data set covers; null when it is beyond the search: more than ${EDGE_SEARCH_M} metres farther than the answer looks. Where nothing was searched (searchedM is null), it can only be the edge of the data set.`,
      }),
    ),
    nearBoundary: Type.Boolean({ description: 'True when the uncertainty of the position reaches that edge.' }),
    dataSets: Type.Array(Type.String(), { description: 'Ids of the data sets that were used.' }),
    sourceUntil: Type.Optional(
      Type.String({
        format: 'date',
        description:
          'The last day that these data tell of, where a source says so: what was built or mapped later is not in them. GET /api/layers says where that stands.',
      }),
    ),
    feature: Type.Optional(
      nullable(
        mapOf(Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] }), {
          description:
            'Facts about the feature that decides the answer, such as who mapped it and on what basis, or, with a distanceM of null, about one that is there and does not count, such as a candidate area; null when there is none. Only for some layers; their descriptions name the members.',
        }),
      ),
    ),
    others: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'How many more features are as near as that one, within 2 cm, and count as it does: they hold the place too, or are as far. Missing where there is none.',
      }),
    ),
  },
  { description: 'Evidence of an answer.' },
);
export type LayerEvidence = Described<typeof evidenceSchema>;

/** The schema of the evidence for a catalogue with these layer keys. */
export function layersEvidenceSchema({
  keys,
  furtherKeys,
}: Readonly<Record<'keys' | 'furtherKeys', readonly string[]>>) {
  const evidence = reference<LayerEvidence>('Evidence');
  const members = [
    ...keys.map((key) => [key, evidence] as const),
    ...furtherKeys.map((key) => [key, Type.Optional(evidence)] as const),
  ];
  return closed(Object.fromEntries(members), {
    description: 'Evidence of each answer, by layer key.',
  });
}

const mark = Type.String({ pattern: '^[0-9a-f]{8}$' });

/** What an answer rests on. */
export const snapshotSchema = closed(
  {
    id: Type.String({ description: 'Snapshot id: the vintage of the answer, as in the header Land-Vintage.' }),
    createdAt: Type.String({
      format: 'date-time',
      description: 'When this record of the data was made. It is not the day from which a law holds.',
    }),
    sample: Type.Boolean({ description: 'True when any of it is the invented sample, which is not real.' }),
    definitions: { ...mark, description: 'Changes with the definitions of the layers.' },
    dataSets: mapOf(mark, {
      description: 'By data set id. Changes with the features, the area or the date of the data set.',
    }),
  },
  { description: 'The data that answered.' },
);

const ofAddress = {
  members: lookupMembers,
  geocode: reference<Geocode>('Geocode'),
  description: 'Answer of a lookup with detail=full.',
};

/**
 * The schema for one kind of lookup: with the members of its short answers, and with how it found the place.
 */
export function fullLookupSchemaOf<Members extends TProperties, G extends TSchema>({
  members,
  geocode,
  description,
}: {
  readonly members: Members;
  readonly geocode: G;
  readonly description: string;
}) {
  return closed(
    {
      ...members,
      geocode,
      evidence: reference<Record<string, LayerEvidence>>('LayersEvidence'),
      snapshot: snapshotSchema,
    },
    { description },
  );
}

export const fullLookupSchema = fullLookupSchemaOf(ofAddress);
export type FullLookupBody = Described<typeof fullLookupSchema> & WithGeometry;
