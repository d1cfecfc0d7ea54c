/** Source fields and what answers make of them, as the files in `layers/` describe them. */
import { Type } from '../schema-builders.ts';
import { closed, mapOf, oneOf, type Described } from '../schema.ts';

export const text = Type.String({ minLength: 1 });

export const fieldSchema = closed({
  type: oneOf(['string', 'integer', 'real']),
  required: Type.Boolean({
    description: 'A source without a required field is refused; an optional one reads as null.',
  }),
  alternatives: Type.Optional(
    Type.Array(text, {
      minItems: 1,
      uniqueItems: true,
      description: 'Other names that the field has at its sources, in order.',
    }),
  ),
});
export type FieldDefinition = Described<typeof fieldSchema>;

const values = Type.Array(Type.String(), { minItems: 1 });
export const filterMembers = { field: text, values };
export const filterSchema = closed(filterMembers);
export type FieldFilter = Described<typeof filterSchema>;

export const codes = mapOf(Type.String(), {
  minProperties: 1,
  description: 'Source value -> served value; a source value that is not listed is not known (`unavailable`).',
});

const memberSchema = closed({
  description: text,
  field: text,
  as: oneOf(['string', 'number']),
  codes: Type.Optional(codes),
  required: Type.Optional(
    Type.Boolean({ description: 'The whole answer is not known when this member has no value.' }),
  ),
});
export type MemberDefinition = Described<typeof memberSchema>;

/** Response member -> attribute. */
export const members = mapOf(memberSchema, { minProperties: 1 });
