/** Source fields and what answers make of them, as the files in `layers/` describe them. */
import { Type } from 'typebox';
import { closed, mapOf, oneOf, type Described } from '../schema.ts';

export const text = Type.String({ minLength: 1 });

export const fieldSchema = closed({
  type: oneOf(['string', 'integer', 'real', 'date'], { description: '`date`: kept as YYYY-MM-DD.' }),
  blank: Type.Optional(
    Type.Array(text, {
      minItems: 1,
      uniqueItems: true,
      description: 'Values, as they are kept, that stand for none at the source, such as 1899-11-30.',
    }),
  ),
  steps: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 1,
      uniqueItems: true,
      description:
        'Ascending. Of a number only the largest step that is not above it is kept, so that millions of features share few values; none below the first.',
    }),
  ),
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
  others: Type.Optional(
    oneOf(['yes', 'no', 'next', 'unclear'], {
      description:
        'What every other value means; `next`: the next rule decides; `unclear`: nobody knows, and such values are reported. Without it they are reported, and the next rule decides.',
    }),
  ),
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

/** What a member reads, and in which form. */
const readMembers = {
  field: text,
  codes: Type.Optional(codes),
  style: Type.Optional(
    oneOf(['name'], {
      description: '`name`: text in capitals is served as people write it, without a class in parentheses at its end.',
    }),
  ),
};

const memberSchema = closed({
  description: text,
  as: oneOf(['string', 'number']),
  ...readMembers,
  otherwise: Type.Optional(closed(readMembers, { description: 'What is read where the field is blank.' })),
  required: Type.Optional(
    Type.Boolean({ description: 'The whole answer is not known when this member has no value.' }),
  ),
});
export type MemberDefinition = Described<typeof memberSchema>;

/** Response member -> attribute. */
export const members = mapOf(memberSchema, { minProperties: 1 });
