/** The schema builders against those of TypeBox, whose types they have. */
import { expect } from 'chai';
import TypeBox from 'typebox';
import { Type, type Builders } from '../../src/shared/schema-builders.ts';

const schemas: Readonly<Record<keyof Builders, (type: Builders) => readonly object[]>> = {
  Array: (type) => [type.Array(type.String()), type.Array(type.Number(), { minItems: 1, description: 'numbers' })],
  Boolean: (type) => [type.Boolean(), type.Boolean({ description: 'yes or no' })],
  Integer: (type) => [type.Integer(), type.Integer({ minimum: 0, maximum: 9 })],
  Literal: (type) => [type.Literal('a'), type.Literal(3, { description: 'three' }), type.Literal(true)],
  Null: (type) => [type.Null(), type.Null({ description: 'nothing' })],
  Number: (type) => [type.Number(), type.Number({ exclusiveMinimum: 0 })],
  Object: (type) => [
    type.Object({}),
    type.Object({ only: type.Optional(type.String()) }, { additionalProperties: false }),
    type.Object({ a: type.String(), b: type.Optional(type.Unsafe({ type: 'null' })), c: type.Number() }),
    // The mark of a member stays when more is said of it.
    type.Object({ a: type.Unsafe(type.Optional(type.String())), b: type.Null() }, { description: 'an object' }),
  ],
  Optional: (type) => [type.Optional(type.String({ format: 'date' }))],
  String: (type) => [type.String(), type.String({ pattern: '^a$', maxLength: 3 })],
  Union: (type) => [type.Union([type.String(), type.Null()]), type.Union([type.Boolean()], { description: 'one' })],
  Unsafe: (type) => [type.Unsafe({ type: ['string', 'null'], enum: ['a', null] })],
};

describe('the schema builders', () => {
  for (const [name, make] of Object.entries(schemas)) {
    it(`write what TypeBox writes: ${name}`, () => {
      // As text, so that the order of the members counts.
      expect(make(Type).map(asText)).to.deep.equal(make(TypeBox).map(asText));
    });
  }

  it('may be mixed with those of TypeBox', () => {
    const mixed = Type.Object({ a: TypeBox.Optional(TypeBox.String()), b: Type.Null() });
    expect(asText(mixed)).to.equal(asText(TypeBox.Object({ a: Type.Optional(Type.String()), b: TypeBox.Null() })));
    expect(mixed.required).to.deep.equal(['b']);
  });

  it('leave an optional member without a visible mark', () => {
    expect(Type.Optional(Type.String())).to.deep.equal({ type: 'string' });
  });
});

function asText(schema: object): string {
  return JSON.stringify(schema);
}
