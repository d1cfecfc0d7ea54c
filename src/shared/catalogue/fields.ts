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

const countingRule = closed({
  field: text,
  yes: Type.Optional(values),
  no: Type.Optional(values),
  shown: Type.Optional(values),
  open: Type.Optional(values),
  others: Type.Optional(oneOf(['yes', 'no'], { description: 'Decides for every value that the rule does not list.' })),
});
export type CountingRule = Described<typeof countingRule>;

export const countingRules = Type.Array(countingRule, {
  minItems: 1,
  description:
    "Which source features count. The first rule that lists the feature's value decides: with `yes` it counts, with `no` it is left out, with `shown` only the evidence tells of it; `open` lists values that decide nothing. Where no rule decides, the feature is kept apart, and an answer that it could change is not known (`unavailable`).",
});

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
