/** Whether an answer that stood in a link or a file has all that the page shows of one, each value of its kind: anybody can have written it. */
import { MOST_UNCERTAINTY_M, type Question } from '../shared/question.ts';
import { placesIn } from '../shared/geojson-input.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';

type Check = (value: unknown) => boolean;
type Layer = LayersBody['layers'][number];

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = Number.isFinite;
const isFlag: Check = (value) => typeof value === 'boolean';
const isOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const mapOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const having =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, check]) => check(value[name]));

const isFact = orNull((value) => isText(value) || isNumber(value));

/** What is found, by the kind of the layer. */
const isFound: Readonly<Record<Layer['kind'], Check>> = {
  boolean: isOf(true),
  value: isText,
  object: mapOf(isFact),
  proximity: isOf('inside', 'regulated', 'adjacent'),
  count: mapOf(isFact),
};

/** What is not there, by the kind of the layer. */
const isAbsent: Readonly<Record<Layer['kind'], Check>> = {
  boolean: isOf(false),
  value: isOf(null),
  object: isOf(null),
  proximity: isOf('outside'),
  count: mapOf(isFact),
};

/** Of a count also members without a value. */
const isUnknown = orNull(mapOf(isOf(null)));

const isEvidence = having({
  state: isOf('present', 'absent', 'no_coverage', 'unavailable'),
  ...{ distanceM: orNull(isNumber), searchedM: orNull(isNumber), boundaryDistanceM: orNull(isNumber) },
  nearBoundary: isFlag,
  dataSets: listOf(isText),
  feature: optional(orNull(mapOf(isFact))),
  ...{ others: optional(isNumber), sourceUntil: optional(isText) },
});

const isGeocode: Check = (value) =>
  having({
    accuracy: isOf('building', 'blockface', 'interpolated'),
    uncertaintyM: isNumber,
    faults: listOf(having({ code: isText, detail: isText })),
    components: optional(orNull(mapOf(isFact))),
  })(value) ||
  having({
    accuracy: isOf('point'),
    uncertaintyM: isNumber,
    addressState: isOf('present', 'absent', 'unavailable'),
    addressDistanceM: orNull(isNumber),
  })(value);

const isJudgement = having({
  outcome: isOf('excluded', 'not_known', 'not_excluded_by_mapped_data'),
  because: listOf(having({ text: isText, distanceM: orNull(isNumber) })),
  ...{ missing: listOf(isText), check: listOf(isText) },
});

const isAnswer = having({
  ...{ lat: isNumber, lon: isNumber, layers: isObject, dataAsOf: mapOf(orNull(isText)) },
  ...{ snapshot: optional(having({ id: isText })), rules: optional(mapOf(isJudgement)) },
});

const isPlace = having({ address: orNull(isText), evidence: mapOf(isEvidence), geocode: isGeocode });

const isArea = having({ areaM2: isNumber, insideOntarioShare: isNumber, repaired: optional(isFlag) });

const isQuestion: Readonly<Record<Question['kind'], Check>> = {
  address: having({ address: isText }),
  point: having({
    ...{ lat: isNumber, lon: isNumber },
    uncertaintyM: (value) => isNumber(value) && (value as number) >= 0 && (value as number) <= MOST_UNCERTAINTY_M,
  }),
  area: having({
    geometry: (value) => {
      const read =
        isObject(value) && /^(Multi)?Polygon$/.test(String(value['type'])) && placesIn(JSON.stringify(value));
      return read && !('fault' in read) && read.geometry !== null;
    },
  }),
};

/** What an area has of a layer. */
const isShare = orNull(
  having({
    unknownShare: isNumber,
    ...{ share: optional(isNumber), bands: optional(mapOf(isNumber)) },
    parts: optional(
      listOf(having({ share: isNumber, value: (value) => isText(value) || value === true || mapOf(isFact)(value) })),
    ),
    ...{ distanceM: optional(orNull(isNumber)), count: optional(isNumber) },
  }),
);

/** Says whether it answers every layer that the service always answers: what is left out would read as a "no". */
export function isSharedAnswer(
  question: Question,
  body: unknown,
  { layers: known }: Pick<LayersBody, 'layers'>,
): boolean {
  if (!isQuestion[question.kind](question) || !isAnswer(body)) return false;
  const { layers } = body as { layers: Record<string, unknown> };
  const asked = known.filter(({ key, further }) => !further || key in layers);
  if (question.kind === 'area') return isArea(body) && asked.every(({ key }) => key in layers && isShare(layers[key]));
  if (!isPlace(body)) return false;
  const { evidence } = body as { evidence: Record<string, { state: string }> };
  return asked.every(({ key, kind }) => {
    const state = evidence[key]?.state;
    if (state === undefined || !(key in layers)) return false;
    const check = state === 'present' ? isFound[kind] : state === 'absent' ? isAbsent[kind] : isUnknown;
    return check(layers[key]);
  });
}
