/** What the tools answer, for programs. They are short, because every agent that lists the tools reads them, and open: answers may gain members. */
import { Type, type TProperties } from 'typebox';
import { mapOf, oneOf } from '../../schema.ts';
import { layerStates, type LayerState } from '../../messages/wire/full-lookup.ts';

const number = Type.Number();
const text = Type.String();
const anyObject = Type.Unsafe<object>({ type: 'object' });

/** The schema of an answer with these members. */
export const answerWith = (members: TProperties) =>
  Type.Object({
    ...members,
    attribution: Type.Object({
      show: Type.Optional(Type.Array(text)),
      licences: text,
    }),
  });

const layer = Type.Object({
  state: oneOf(Object.keys(layerStates) as LayerState[]),
  value: Type.Optional(Type.Union([Type.Boolean(), text, anyObject])),
  distanceM: Type.Optional(number),
  searchedM: Type.Optional(number),
  boundaryDistanceM: Type.Optional(number),
  nearBoundary: Type.Optional(Type.Boolean()),
  feature: Type.Optional(anyObject),
  others: Type.Optional(number),
  asOf: Type.Optional(text),
});

export const lookupOutput = {
  ...{ address: Type.Union([text, Type.Null()]), lat: number, lon: number, position: anyObject },
  warning: Type.Optional(text),
  layers: mapOf(layer),
  explained: Type.Optional(
    mapOf(anyObject, { description: 'What follows from what was found: sentence, law, who, next.' }),
  ),
  explainedNot: Type.Optional(Type.Array(text)),
};

export const layersOutput = {
  layers: Type.Optional(mapOf(anyObject, { description: 'All layers in short, by their keys.' })),
  key: Type.Optional(Type.String({ description: 'Of the one layer that was asked for.' })),
  description: Type.Optional(text),
  dataSets: Type.Optional(Type.Array(anyObject)),
};
