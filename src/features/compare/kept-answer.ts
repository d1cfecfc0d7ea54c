/** Reads an answer that somebody kept. What cannot be understood is refused with its place: a comparison with it could say that nothing changed. */
import { Type, type TProperties, type TSchema } from 'typebox';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { catalogueKindOf } from '../../catalogue/kinds/kinds.ts';
import { unknownShare } from '../../catalogue/kinds/kind.ts';
import { proximityClasses } from '../../catalogue/proximity-class-names.ts';
import { invalidBody } from '../../core/http/invalid.ts';
import { badRequest, cutShort, type AppError } from '../../messages/problems.ts';
import { evidenceSchema, snapshotSchema } from '../../messages/wire/full-lookup.ts';
import { addressFault } from '../../messages/wire/lookup.ts';
import { placeMembers } from '../../messages/wire/geocode.ts';
import type { Coordinate } from '../../messages/lookup.ts';
import { validatorOf, type Validator } from '../../project/validators.ts';
import { closed, mapOf, nullable, type Described } from '../../schema.ts';

const scalar = Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] });
const byName = { maxProperties: 300, propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' } };
const share = Type.Number({ minimum: 0, maximum: 1 });

/** What a comparison reads of what an answer rests on; that has more, of which nothing is said here. */
const snapshotOfAnswer = Type.Object({
  id: Type.String({ pattern: '^\\d{8}T\\d{6}Z-[0-9a-f]{12}$' }),
  createdAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{1,20}Z$' }),
  definitions: snapshotSchema.properties.definitions,
  dataSets: mapOf(snapshotSchema.properties.definitions, byName),
});

const { state, distanceM, searchedM, dataSets, feature } = evidenceSchema.properties;
const evidence = Type.Object({ state, distanceM, searchedM, dataSets, feature });

/** Of rules that were asked for, their outcomes. */
const rules = Type.Optional(mapOf(Type.Object({ outcome: Type.String({ maxLength: 64 }) }), byName));

/** Of an address, or of a point, which may have none. */
function placeAnswer(address: TSchema, geocode: TProperties): TSchema {
  const value = { type: ['boolean', 'string', 'object', 'null'], additionalProperties: scalar };
  return Type.Object({
    ...placeMembers,
    layers: mapOf(Type.Unsafe<unknown>(value), byName),
    evidence: mapOf(evidence),
    rules,
    address,
    geocode: Type.Object({ address, lat: Type.Number(), lon: Type.Number(), ...geocode }),
  });
}

const areaValue = Type.Unsafe<unknown>({
  ...{ type: ['object', 'null'], required: ['unknownShare'], additionalProperties: scalar },
  properties: {
    ...{ share, unknownShare: share },
    parts: { type: 'array', items: closed({ value: Type.Unsafe<unknown>({}), share }), maxItems: 5000 },
    bands: closed(Object.fromEntries(proximityClasses.map((name) => [name, share]))),
  },
});

const isSnapshot = validatorOf<KeptAnswer['snapshot']>(snapshotOfAnswer);

const uncertaintyM = Type.Number({ minimum: 0, maximum: 1000 });

const kinds = {
  address: validatorOf(placeAnswer(Type.String(), { accuracy: Type.String() })),
  point: validatorOf(placeAnswer(nullable(Type.String()), { accuracy: Type.Literal('point'), uncertaintyM })),
  area: validatorOf(
    Type.Object({
      ...placeMembers,
      areaM2: Type.Number({ minimum: 0 }),
      repaired: Type.Boolean(),
      layers: mapOf(areaValue, byName),
      evidence: mapOf(Type.Object({ dataSets })),
      rules,
    }),
  ),
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

export function kindOfAnswer({ areaM2, geocode }: Pick<KeptAnswer, 'areaM2' | 'geocode'>): keyof typeof kinds {
  if (areaM2 !== undefined) return 'area';
  return geocode?.accuracy === 'point' ? 'point' : 'address';
}

/**
 * Reads the body of an answer. @param at where it stands, as a JSON pointer. @param known what it rests on, where that was read before.
 * @throws AppError BAD_REQUEST that names the place of what is no answer, or contradicts itself.
 */
export function keptAnswerOf(body: unknown, at = '/before', known?: KeptAnswer['snapshot']): KeptAnswer {
  if (!isObject(body)) throw refused(at, 'must be the answer of a lookup, an object');
  const missing = ['evidence', 'snapshot'].find((name) => body[name] === undefined);
  if (missing !== undefined) throw refused(`${at}/${missing}`, 'is missing: keep answers of lookups with detail=full');
  if (known === undefined) snapshotOf(body['snapshot'], at);
  const kind = kindOfAnswer(body);
  requireValid(kinds[kind], body, at);
  const answer = body as unknown as KeptAnswer;
  const alone = Object.keys(answer.evidence).find((key) => !Object.hasOwn(answer.layers, key));
  if (alone !== undefined) throw refused(`${at}/layers/${cutShort(alone)}`, 'is missing');
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
  const { state: said, dataSets: used } = all[key]!;
  const fault = contradictionOf(layers[key], said);
  if (fault !== null) throw refused(`${at}/layers/${key}`, fault);
  const isKnown = said === 'present' || said === 'absent';
  if (isKnown && !used.every((id) => Object.hasOwn(snapshot.dataSets, id)))
    throw refused(`${at}/evidence/${key}/dataSets`, 'names a data set that "snapshot" does not have');
}

function contradictionOf(value: unknown, said: KeptEvidence['state']): string | null {
  const isNothing = value === null || value === false || value === 'outside';
  if (said === 'present') return isNothing ? 'has no value, and its evidence says "present"' : null;
  if (said !== 'absent') return value === null ? null : 'has a value, and its evidence says that it is not known';
  return isNothing || typeof value === 'object' ? null : 'has a value, and its evidence says "absent"';
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
 * @throws AppError BAD_REQUEST that names the place.
 */
export function checkAgainst(catalogue: Catalogue, answer: KeptAnswer): void {
  const { version, answers, further } = catalogue;
  if (!version.startsWith(answer.snapshot.definitions)) return;
  const missing = answers.find(({ answer: { key } }) => !Object.hasOwn(answer.layers, key));
  if (missing) throw refused(`/before/layers/${missing.answer.key}`, 'is missing');
  const kind = kindOfAnswer(answer) === 'area' ? 'area' : 'place';
  for (const [key, value] of Object.entries(answer.layers)) {
    const schemas = schemasOf(catalogue).get(key);
    if (!schemas)
      throw refused(
        `/before/layers/${key}`,
        `is no layer: there are those of /api/layers${further.length > 0 ? '' : ', and none further'}`,
      );
    if (!fits(value, schemas[kind])) throw refused(`/before/layers/${key}`, 'is no value that this layer can have');
  }
}

type ValueSchemas = Readonly<Record<'place' | 'area', ValueSchema>>;
const made = new WeakMap<Catalogue, ReadonlyMap<string, ValueSchemas>>();

/** The schemas of values by the key of their layer. Of an area they name members alone, whose types are checked already. */
function schemasOf(catalogue: Catalogue): ReadonlyMap<string, ValueSchemas> {
  const known = made.get(catalogue);
  if (known) return known;
  const schemas = new Map(
    [...catalogue.answers, ...catalogue.further].map(({ answer }) => {
      const kind = catalogueKindOf(answer);
      const members = Object.keys({ ...kind.areaMembers(answer), unknownShare });
      const area = { type: ['object', 'null'], properties: Object.fromEntries(members.map((name) => [name, {}])) };
      return [answer.key, { place: kind.valueSchema(answer), area }];
    }),
  );
  made.set(catalogue, schemas);
  return schemas;
}

interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

/** Whether a value fits, with exactly these members. Compiling a schema for each layer would hold all others up. */
function fits(value: unknown, { type, enum: values, properties = {} }: ValueSchema): boolean {
  if (type === undefined) return true;
  const own = value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value;
  const isOf = (one: string): boolean => type === one || (typeof type !== 'string' && type.includes(one));
  if (!isOf(own) && !(own === 'integer' && isOf('number'))) return false;
  if (values?.includes(value) === false) return false;
  if (!isObject(value)) return true;
  const names = Object.keys(properties);
  return (
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name) && fits(value[name], properties[name]!))
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(param: string, words: string): AppError {
  return badRequest(`${param.slice(1)} ${words}`, { param });
}
