/** What the catalogue knows of a kind of answer. To add a kind, write one file beside this one and a line in `kinds.ts`. */
import { Type, type TObject, type TProperties, type TSchema } from 'typebox';
import { closed, mapOf, nullable, oneOf, type Described, type Schema, reference } from '../../schema.ts';
import { members, text, type FieldFilter, type MemberDefinition } from '../fields.ts';
import { readerSchema } from '../reader.ts';

// Components of the API's document (src/messages/wire/area-lookup.ts) that the answers of a kind for areas are made of.

export const shareOfArea = reference<number>('Share');
/** Part of every layer's value. */
export const unknownShare = reference<number>('UnknownShare');
export const distanceToArea = reference<number | null>('DistanceToArea');
export const shareByBand = reference<Record<string, number>>('ShareByBand');

const layerGroup = oneOf([
  'plans_and_policy',
  'hazards_and_water',
  'soil_and_agriculture',
  'nature',
  'administration',
  'industry_and_infrastructure',
]);
export type LayerGroup = Described<typeof layerGroup>;

/** Members of every answer's definition. */
const common = {
  order: Type.Integer({
    minimum: 1,
    description:
      'Place of the key in the response, ascending; no two answers have the same. Further answers have an order of their own.',
  }),
  key: Type.String({ pattern: '^[a-z][A-Za-z0-9]*$', description: "Key in the response's `layers`." }),
  title: text,
  description: text,
  french: Type.Optional(
    closed({ title: text, description: text }, { description: 'The same in French, for the page.' }),
  ),
  group: layerGroup,
  reader: Type.Optional(readerSchema),
  further: Type.Optional(
    Type.Literal(true, {
      description: 'A further answer: it is given to those alone who ask for it, after those that everybody gets.',
    }),
  ),
};

/** The schema of a kind's definitions: what every answer has, and the members of its own. */
export function answerSchema<const K extends string, P extends TProperties>(kind: K, own: P, description: string) {
  return closed({ ...common, kind: Type.Literal(kind), ...own }, { description });
}

const distance = Type.Number({ minimum: 0 });
const bandsSchema = closed({
  inside: Type.Optional(distance),
  regulated: Type.Optional(distance),
  adjacent: Type.Optional(distance),
});

/** What `/api/layers` says of a layer beyond its title and its data sets: each is null for kinds that have no such thing. */
export const kindDescriptionMembers = {
  values: nullable(Type.Array(Type.Unsafe<string | boolean>({ type: ['string', 'boolean'] }))),
  members: nullable(mapOf(Type.String())),
  bandsM: Type.Union([bandsSchema, Type.Null()], { description: 'Limits of the proximity classes in metres.' }),
  specialBandsM: nullable(
    Type.Array(closed({ for: Type.Array(Type.String()), bandsM: bandsSchema }), {
      description: 'Other limits for features with one of these values.',
    }),
  ),
  radiusM: nullable(Type.Number()),
};
export type KindDescription = Described<TObject<typeof kindDescriptionMembers>>;

/** Features of another data set that count for an answer, too. */
export interface Partner {
  readonly dataSet: string;
  readonly only?: FieldFilter;
  readonly ignore?: FieldFilter;
}

/** A kind of answer; `A` is its definition in `layers/`. */
export interface CatalogueKind<A> {
  readonly definition: TSchema;
  /** Fields of the answer's own data set. */
  fieldsUsed(answer: A): readonly string[];
  /** Fields of it whose words the definition translates. */
  coded?(answer: A): readonly Pick<MemberDefinition, 'field' | 'codes'>[];
  partners?(answer: A): readonly Partner[];
  /** What chooses among the features of the answer's own data set. */
  filters?(answer: A): readonly FieldFilter[];
  /** What is wrong with a definition that fits the schema; null when nothing is. */
  problem?(answer: A): string | null;
  /** JSON Schema of the value in a lookup's answer. */
  valueSchema(answer: A): Schema;
  /** JSON Schemas of the members of the value in the answer for an area, without `unknownShare`. */
  areaMembers(answer: A): Readonly<Record<string, TSchema>>;
  /** Null may also mean that the place lies in no feature. */
  readonly isNullWhereNone: boolean;
  /** What applies to the kind of what `/api/layers` says. */
  describe(answer: A): Partial<KindDescription>;
}

/** An object with these members, or null. */
export function objectValueSchema(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: ['object', 'null'], required: Object.keys(properties), additionalProperties: false, properties };
}

/** The served values of an attribute, null when they are the source's own words. */
export function valuesOf({ codes }: { readonly codes?: Readonly<Record<string, string>> }): readonly string[] | null {
  return codes ? [...new Set(Object.values(codes))] : null;
}

type Members = Readonly<Record<string, MemberDefinition>>;

/** JSON Schemas of members. */
export function memberSchemas(members: Members): Readonly<Record<string, Schema>> {
  return mapValues(members, ({ description, as, codes, required = false }) => {
    const values = codes ? [...valuesOf({ codes })!, ...(required ? [] : [null])] : null;
    return { description, type: required ? as : [as, 'null'], ...(values ? { enum: values } : {}) };
  });
}

/** Member -> meaning, in the order of the response. */
export function meanings(members: Members): Readonly<Record<string, string>> {
  return mapValues(members, ({ description }) => description);
}

/** Source fields that members read. */
export function fieldsOf(members: Members): readonly string[] {
  return Object.values(members).flatMap(({ field, otherwise }) => [field, ...(otherwise ? [otherwise.field] : [])]);
}

/** The members with what they read instead of a blank field. */
export function readsOf(members: Members): readonly Pick<MemberDefinition, 'field' | 'codes'>[] {
  return Object.values(members).flatMap((member) => [member, ...(member.otherwise ? [member.otherwise] : [])]);
}

/** Attributes of the feature that decides an answer, for the evidence. */
export const deciding = Type.Optional(members);

function mapValues<T>(members: Members, make: (member: MemberDefinition) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, make(member)]));
}

/** JSON Schemas of the shares of an area by value; `value` is the schema of a value at a place. */
export function partsOfArea(value: Schema): Readonly<Record<string, TSchema>> {
  const { type, enum: values, ...rest } = value as { type: readonly string[]; enum?: readonly unknown[] };
  const known = {
    type: type.find((one) => one !== 'null'),
    ...rest,
    ...(values ? { enum: values.filter((one) => one !== null) } : {}),
  };
  const part = closed({ value: Type.Unsafe(known), share: shareOfArea });
  return { parts: Type.Array(part, { description: 'The values in the area, the largest share first.' }) };
}
