/** Rules of the law that are conditions over answers and distances: the files in `rules/`, `GET /api/rules`, and the member `rules` of answers. */
import { Type } from 'typebox';
import { closed, mapOf, nullable, oneOf, type Described } from '../../../schema.ts';
import type { LayerValue } from '../../../messages/wire/lookup.ts';

/** A text for people. It is shown on pages: no markup, no control characters. */
const words = Type.String({ minLength: 1, maxLength: 600, pattern: '^[^<>\\u0000-\\u001f\\u007f]+$' });
const bothLanguages = closed({ en: words, fr: words });

const ID = '^[a-z][a-z0-9_]{0,59}$';
const DAY = '^\\d{4}-\\d{2}-\\d{2}$';

const applies = oneOf(['point', 'parcel'], {
  description:
    'Of an area: parcel asks whether it includes any land of which a fact is true, point whether the fact is true wherever in it a building stands. At an address or a point both ask about that point.',
});

const value = Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Boolean()]);

/** What a fact says of a layer; exactly one of `is`, `in` and `withinM`. */
const factSchema = closed(
  {
    layer: Type.String({ description: 'Key of one of the layers that every answer has.' }),
    is: Type.Optional({
      ...value,
      description: 'The value of the layer. true: what it looks for is there; false: the data know that it is not.',
    }),
    in: Type.Optional(Type.Array(value, { minItems: 1, maxItems: 50, description: 'One of these values.' })),
    withinM: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 10_000, description: 'Metres to the nearest feature of the layer.' }),
    ),
    applies: Type.Optional(applies),
    check: Type.Optional({ ...bothLanguages, description: 'What makes the fact doubtful where it excludes.' }),
    text: { ...bothLanguages, description: 'The fact with its section, as a reason.' },
  },
  { description: 'A fact.' },
);
export type RuleFact = Described<typeof factSchema>;

export type RuleCondition =
  | RuleFact
  | { readonly any: readonly RuleCondition[] }
  | { readonly all: readonly RuleCondition[] }
  | { readonly not: RuleCondition };

const IN_FILE = '#/definitions/condition';
const condition = Type.Unsafe<RuleCondition>({ $ref: IN_FILE });
const several = Type.Array(condition, { minItems: 1, maxItems: 50 });
const conditionSchema = Type.Union(
  [factSchema, closed({ any: several }), closed({ all: several }), closed({ not: condition })],
  { description: 'A fact, or conditions joined by any, all and not; each is true, false or not known.' },
);

const members = {
  id: Type.String({ pattern: ID, description: 'The name of the file without `.json`.' }),
  title: bothLanguages,
  text: { ...bothLanguages, description: 'What it means that the outcome is `excluded`, with the section.' },
  limits: Type.Array(bothLanguages, {
    maxItems: 20,
    description: 'What the data cannot see, and somebody has to check: the member `check` of answers.',
  }),
  exceptions: Type.Optional(
    Type.Array(bothLanguages, {
      maxItems: 20,
      description:
        'Where the provision does not apply although its facts are true, and the data cannot see it: the member `check` of answers that are `excluded`.',
    }),
  ),
  law: closed({
    name: words,
    section: words,
    url: Type.String({ pattern: '^https://[^<>\\s]+$', maxLength: 300 }),
    from: nullable(Type.String({ pattern: DAY, description: 'The first day on which it holds; null: not known.' })),
  }),
  status: oneOf(['verified', 'unverified'], {
    description: 'unverified: its text was not read at its source. Such a rule is off until the operator turns it on.',
  }),
  provenance: Type.Array(words, { maxItems: 20, description: 'Where the text was read, and what was not.' }),
  applies,
};

/** The JSON Schema of a file in `rules/`. */
export const ruleFileSchema = closed(
  { $schema: Type.Optional(Type.String()), ...members, excludedBy: condition },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A rule of the law over the answers',
    definitions: { condition: conditionSchema },
  },
);

export type Rule = Omit<Described<typeof ruleFileSchema>, '$schema'>;

const both = Type.Object({ en: Type.String(), fr: Type.String() });

/** The document of the API says less of a rule than the schema of its file: a condition within another is more than many makers of clients read. */
export const rulesSchema = closed(
  {
    rules: Type.Array(
      Type.Object({
        id: Type.String(),
        title: both,
        text: both,
        limits: Type.Array(both),
        status: Type.String(),
        law: Type.Object({ name: Type.String(), section: Type.String(), url: Type.String() }),
        excludedBy: Type.Object({}, { description: 'As rules/schema/rule.schema.json has it.' }),
      }),
    ),
  },
  { description: 'The rules that can be asked for.' },
);
export interface RulesBody {
  readonly rules: readonly Rule[];
}

const reasonSchema = closed({
  layer: Type.String(),
  value: Type.Unsafe<LayerValue>({ type: ['string', 'boolean', 'object', 'null'] }),
  distanceM: nullable(Type.Number({ minimum: 0, description: 'Metres to the nearest feature; 0 inside.' })),
  text: Type.String(),
});

const judgementSchema = closed(
  {
    outcome: oneOf(['excluded', 'not_excluded_by_mapped_data', 'not_known']),
    because: Type.Array(reasonSchema, { description: 'The facts that exclude.' }),
    missing: Type.Array(Type.String(), { description: 'Layers of which a fact is not known that decides.' }),
    check: Type.Array(Type.String(), { description: 'What the data cannot see, and somebody has to check.' }),
  },
  { description: 'What a rule makes of the place.' },
);
export type RuleJudgement = Described<typeof judgementSchema>;

/** Components of the document of the API. */
export const ruleComponents = {
  RuleJudgements: mapOf(judgementSchema, {
    description: 'What the rules that were asked for make of the place, by id.',
  }),
};

/**
 * What a task says to the threads: the rules as JSON, in an object that many rows share. Of rules that many requests ask for, the text is in memory that threads
 * share: each reads it once, and knows it again by its mark.
 */
export type AskedRules = { readonly json: string } | { readonly mark: string; readonly shared: SharedArrayBuffer };
