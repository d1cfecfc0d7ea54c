/** Reads an answer that somebody kept. What cannot be understood is refused with its place: a comparison with it could say that nothing changed. */
import { Type, type TProperties, type TSchema } from 'typebox';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { catalogueKindOf } from '../../catalogue/kinds/kinds.ts';
import { unknownShare } from '../../catalogue/kinds/kind.ts';
import { proximityClasses } from '../../catalogue/proximity-classes.ts';
import { invalidBody } from '../../core/http/invalid.ts';
import { badRequest, type AppError } from '../../messages/problems.ts';
import { layerStates, snapshotSchema, type LayerState } from '../../messages/wire/full-lookup.ts';
import { addressFault } from '../../messages/wire/lookup.ts';
import { placeMembers } from '../../messages/wire/geocode.ts';
import type { Coordinate } from '../../messages/lookup.ts';
import { validatorOf, type Validator } from '../../project/validators.ts';
import { closed, mapOf, nullable, oneOf, type Described } from '../../schema.ts';

const scalar = Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] });
const byName = { maxProperties: 300, propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' } };
const metres = nullable(Type.Number({ minimum: 0 }));
const share = Type.Number({ minimum: 0, maximum: 1 });
const ids = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 });

/** What a comparison reads of what an answer rests on; that has more, of which nothing is said here. */
const snapshotOfAnswer = Type.Object({
  id: Type.String({ pattern: '^\\d{8}T\\d{6}Z-[0-9a-f]{12}$' }),
  createdAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{1,20}Z$' }),
  definitions: snapshotSchema.properties.definitions,
  dataSets: mapOf(snapshotSchema.properties.definitions, byName),
});

const evidence = Type.Object({
  state: oneOf(Object.keys(layerStates) as LayerState[]),
  distanceM: metres,
  searchedM: metres,
  dataSets: ids,
  feature: Type.Optional(nullable(mapOf(scalar))),
});

/** Of rules that were asked for, their outcomes. */
const rules = Type.Optional(mapOf(Type.Object({ outcome: Type.String({ maxLength: 64 }) }), byName));

const ofPlace = {
  ...placeMembers,
  layers: mapOf(
    Type.Unsafe<unknown>({ type: ['boolean', 'string', 'object', 'null'], additionalProperties: scalar }),
    byName,
  ),
  evidence: mapOf(evidence, byName),
  rules,
};

/** Of an address, or of a point, which may have none. */
function placeAnswer(address: TSchema, geocode: TProperties): TSchema {
  const found = Type.Object({ address, lat: Type.Number(), lon: Type.Number(), ...geocode });
  return Type.Object({ ...ofPlace, address, geocode: found });
}

const uncertaintyM = Type.Number({ minimum: 0, maximum: 1000 });

const areaValue = Type.Unsafe<unknown>({
  ...{ type: ['object', 'null'], required: ['unknownShare'], additionalProperties: scalar },
  properties: {
    ...{ share, unknownShare: share },
    parts: { type: 'array', items: closed({ value: Type.Unsafe<unknown>({}), share }), maxItems: 5000 },
    bands: closed(Object.fromEntries(proximityClasses.map((name) => [name, share]))),
  },
});

const areaAnswer = Type.Object({
  ...placeMembers,
  areaM2: Type.Number({ minimum: 0 }),
  repaired: Type.Boolean(),
  layers: mapOf(areaValue, byName),
  evidence: mapOf(Type.Object({ dataSets: ids }), byName),
  rules,
});

const isSnapshot = validatorOf<KeptAnswer['snapshot']>(snapshotOfAnswer);

const kinds = {
  address: validatorOf(placeAnswer(Type.String(), { accuracy: Type.String() })),
  point: validatorOf(placeAnswer(nullable(Type.String()), { accuracy: Type.Literal('point'), uncertaintyM })),
  area: validatorOf(areaAnswer),
};

export type KeptEvidence = Partial<Described<typeof evidence>> & Pick<Described<typeof evidence>, 'dataSets'>;

/** The answer to one of the three lookups, as far as it is compared. */
export interface KeptAnswer extends Coordinate {
  readonly snapshot: Described<typeof snapshotOfAnswer>;
  readonly address?: string | null;
  readonly geocode?: { readonly accuracy: string; readonly uncertaintyM?: number };
  /** Of an area only. */
  readonly areaM2?: number;
  readonly repaired?: boolean;
  readonly layers: Readonly<Record<string, unknown>>;
  readonly evidence: Readonly<Record<string, KeptEvidence>>;
  readonly rules?: Readonly<Record<string, { readonly outcome: string }>>;
}

export type KeptKind = keyof typeof kinds;

export function kindOfAnswer({ areaM2, geocode }: Pick<KeptAnswer, 'areaM2' | 'geocode'>): KeptKind {
  if (areaM2 !== undefined) return 'area';
  return geocode?.accuracy === 'point' ? 'point' : 'address';
}

/**
 * Reads the body of an answer. @param at where it stands, as a JSON pointer. @param known what it rests on, where that was read before.
 * @throws AppError BAD_REQUEST that names the place of what is no answer, or contradicts itself.
 */
export function keptAnswerOf(body: unknown, at = '/before', known?: KeptAnswer['snapshot']): KeptAnswer {
  if (!isObject(body)) throw refused(at, 'must be the answer of a lookup, an object');
  const { evidence: found, snapshot } = body;
  if (found === undefined || snapshot === undefined)
    throw refused(
      `${at}/${found === undefined ? 'evidence' : 'snapshot'}`,
      'is missing: keep answers of lookups with detail=full',
    );
  if (known === undefined) snapshotOf(snapshot, at);
  const kind = kindOfAnswer(body);
  requireValid(kinds[kind], body, at);
  const answer = body as unknown as KeptAnswer;
  const alone = Object.keys(answer.evidence).find((key) => !Object.hasOwn(answer.layers, key));
  if (alone !== undefined) throw refused(`${at}/layers/${alone}`, 'is missing');
  for (const key of Object.keys(answer.layers)) checkLayer(key, answer, at);
  if (kind !== 'area') checkPlace(answer, at);
  return answer;
}

/** Reads what an answer rests on, which those of earlier versions do not say. @throws AppError BAD_REQUEST. */
export function snapshotOf(snapshot: unknown, at: string): KeptAnswer['snapshot'] {
  if (isObject(snapshot) && snapshot['dataSets'] === undefined)
    throw refused(
      `${at}/snapshot/dataSets`,
      'is missing: this answer is older than the comparison. Ask anew with detail=full, and keep that answer',
    );
  requireValid(isSnapshot, snapshot, `${at}/snapshot`);
  return snapshot as KeptAnswer['snapshot'];
}

/** @throws AppError BAD_REQUEST. */
function requireValid(isValid: Validator<unknown>, value: unknown, at: string): void {
  if (!isValid(value))
    throw invalidBody(isValid.errors?.map((error) => ({ ...error, instancePath: at + error.instancePath })));
}

function checkLayer(key: string, { layers, evidence: all, snapshot, areaM2 }: KeptAnswer, at: string): void {
  if (!Object.hasOwn(all, key)) throw refused(`${at}/evidence/${key}`, 'is missing');
  if (areaM2 !== undefined) return;
  const { state, dataSets } = all[key]!;
  const fault = contradictionOf(layers[key], state);
  if (fault !== null) throw refused(`${at}/layers/${key}`, fault);
  const isKnown = state === 'present' || state === 'absent';
  if (isKnown && !dataSets.every((id) => Object.hasOwn(snapshot.dataSets, id)))
    throw refused(`${at}/evidence/${key}/dataSets`, 'names a data set that "snapshot" does not have');
}

function contradictionOf(value: unknown, state: KeptEvidence['state']): string | null {
  const isNothing = value === null || value === false || value === 'outside';
  switch (state) {
    case 'present':
      return isNothing ? 'has no value, and its evidence says "present"' : null;
    case 'absent':
      return isNothing || typeof value === 'object' ? null : 'has a value, and its evidence says "absent"';
    default:
      return value === null ? null : 'has a value, and its evidence says that it is not known';
  }
}

function checkPlace(answer: KeptAnswer, at: string): void {
  const { geocode: found } = answer as KeptAnswer & { readonly geocode: Pick<KeptAnswer, 'address' | 'lat' | 'lon'> };
  for (const name of ['address', 'lat', 'lon'] as const)
    if (found[name] !== answer[name]) throw refused(`${at}/${name}`, `is another one than geocode/${name}`);
  const fault = kindOfAnswer(answer) === 'address' ? addressFault(answer.address!) : null;
  if (fault !== null) throw refused(`${at}/address`, `cannot be asked for: ${fault}`);
}

/**
 * Checks an answer that was made by the definitions in use: it has their layers, each with a value that it can have. By other definitions it may have others.
 * @param isWhole false: some of its layers were not read. @throws AppError BAD_REQUEST that names the place.
 */
export function checkAgainst(catalogue: Catalogue, answer: KeptAnswer, isWhole = true, at = '/before'): void {
  if (!catalogue.version.startsWith(answer.snapshot.definitions)) return;
  const known = [...catalogue.answers, ...catalogue.further];
  const missing = catalogue.answers.find(({ answer: { key } }) => !Object.hasOwn(answer.layers, key));
  if (missing && isWhole) throw refused(`${at}/layers/${missing.answer.key}`, 'is missing');
  for (const [key, value] of Object.entries(answer.layers)) {
    const definition = known.find(({ answer: one }) => one.key === key)?.answer;
    if (!definition)
      throw refused(
        `${at}/layers/${key}`,
        `is no layer: there are those of /api/layers${catalogue.further.length > 0 ? '' : ', and none further'}`,
      );
    const kind = catalogueKindOf(definition);
    const fits =
      answer.areaM2 === undefined
        ? fitsSchema(value, kind.valueSchema(definition))
        : fitsMembers(value, { ...kind.areaMembers(definition), unknownShare });
    if (!fits) throw refused(`${at}/layers/${key}`, 'is no value that this layer can have');
  }
}

interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

function fitsSchema(value: unknown, { type, enum: values, properties }: ValueSchema): boolean {
  const types = [type ?? []].flat();
  if (values && !values.includes(value)) return false;
  if (value === null) return types.includes('null');
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  if (!isObject(value)) return types.includes(typeof value);
  return properties !== undefined && fitsMembers(value, properties, (member, schema) => fitsSchema(member, schema));
}

/** Whether a value has exactly these members. */
function fitsMembers(
  value: unknown,
  members: Readonly<Record<string, object>>,
  fits: (member: unknown, schema: ValueSchema) => boolean = () => true,
): boolean {
  if (value === null) return true;
  const own = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  return (
    Object.keys(own).length === names.length &&
    names.every((name) => Object.hasOwn(own, name) && fits(own[name], members[name]!))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(param: string, words: string): AppError {
  return badRequest(`${param.slice(1)} ${words}`, { param });
}
