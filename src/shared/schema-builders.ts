/**
 * The builders of TypeBox that the schemas of `src/shared/wire` and `src/shared/catalogue` are written with. They have TypeBox's types and write
 * what TypeBox writes; a test compares the two. TypeBox itself is for the compiler and that test alone, because a process that loads its 700
 * files starts a quarter of a second later (decision 0092).
 */
import type TypeBox from 'typebox';

export type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'String'
  | 'Union'
  | 'Unsafe'
>;

/** Marks a member that an object need not have. Hidden, so that no document shows it. */
const OPTIONAL = '~optional';

export const Type: Builders = {
  Array: (items, options) => schema({ type: 'array', items }, options),
  Boolean: (options) => schema({ type: 'boolean' }, options),
  Integer: (options) => schema({ type: 'integer' }, options),
  Literal: (value, options) => schema({ type: typeof value, const: value }, options),
  Null: (options) => schema({ type: 'null' }, options),
  Number: (options) => schema({ type: 'number' }, options),
  Object: (properties, options) => {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
    return schema({ type: 'object', ...(required.length > 0 ? { required } : {}), properties }, options);
  },
  Optional: (type) => Object.defineProperty(copy(type), OPTIONAL, { value: true }),
  String: (options) => schema({ type: 'string' }, options),
  Union: (anyOf, options) => schema({ anyOf }, options),
  Unsafe: (type) => copy(type),
};

/** TypeBox's types also name hidden members that only its own functions read. Nothing here calls those. */
function schema(members: object, options: object = {}): never {
  return { ...members, ...options } as never;
}

/** The same schema, with its hidden mark. */
function copy(type: object): never {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(type)) as never;
}
