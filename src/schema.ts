/**
 * Schemas for what TypeBox writes otherwise than this project's documents have it. A schema is a plain JSON Schema object: ajv compiles it, the
 * OpenAPI document holds it, and TypeScript derives the type from it.
 */
import { Type, type Static, type TObject, type TObjectOptions, type TProperties, type TSchema } from 'typebox';

/** A JSON Schema that no type is derived from, for example one that depends on a layer definition. */
export type Schema = Readonly<Record<string, unknown>>;

/** The type of the values that a schema describes, read-only throughout. */
export type Described<T extends TSchema> = Frozen<Static<T>>;
type Frozen<T> = unknown extends T ? T : { readonly [Name in keyof T]: Frozen<T[Name]> };

/** An object with exactly these members. */
export function closed<P extends TProperties>(properties: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** The same, or null. The schema must have a `type`. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as Schema;
  return Type.Unsafe<Static<T> | null>({
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
    ...rest,
  });
}

/** One of these texts. */
export function oneOf<const V extends readonly string[]>(values: V, options: Schema = {}) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: values, ...options });
}

/** An object with members of any name that are all described by one schema. */
export function mapOf<T extends TSchema>(member: T, options: TObjectOptions = {}) {
  return Type.Unsafe<Record<string, Static<T>>>({ type: 'object', ...options, additionalProperties: member });
}

/** One of several objects, told apart by their member `kind`. */
export function byKind<T extends TSchema>(kinds: Readonly<Record<string, T>>) {
  return Type.Unsafe<Static<T>>({
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: Object.keys(kinds) } },
    discriminator: { propertyName: 'kind' },
    oneOf: Object.values(kinds),
  });
}

/** A schema among the components of the OpenAPI document, for values of type `T`. */
export function reference<T>(component: string) {
  return Type.Unsafe<T>({ $ref: `#/components/schemas/${component}` });
}
