/** Problem documents (RFC 9457), which answer every request that fails. The codes are in src/shared/problems.ts. */
import type { TObject } from 'typebox';
import { Type } from '../schema-builders.ts';
import { problems, type ProblemCode } from '../problems.ts';
import { closed, oneOf, type Described } from '../schema.ts';

/** Reasons of ADDRESS_NOT_FOUND and OUTSIDE_ONTARIO, in words for the documentation. */
export const refusalReasons = {
  CIVIC_NUMBER_REQUIRED: 'the address has no civic (house) number',
  NON_CIVIC_ADDRESS: 'a post office box, general delivery or a rural route is no place',
  INTERSECTION: 'an intersection is no civic address',
  MUNICIPALITY_REQUIRED: 'the address names no municipality, and more than one could be meant',
  MUNICIPALITY_NOT_FOUND: 'no such municipality is known',
  STREET_NOT_FOUND: 'no such street is known there',
  CIVIC_NOT_ON_STREET: 'the street has no such civic number',
  AMBIGUOUS: 'more than one address fits',
  LOW_CONFIDENCE: 'the nearest match differs too much from what was asked',
  OUT_OF_AREA: 'the place is outside Ontario',
} as const;
export type RefusalReason = keyof typeof refusalReasons;

const membersFor = (codes: readonly ProblemCode[]) => ({
  type: Type.String({ format: 'uri-reference', description: 'Where the code is explained.' }),
  title: oneOf(codes.map((code) => problems[code].title)),
  status: Type.Unsafe<number>({
    type: 'integer',
    enum: [...new Set(codes.map((code) => problems[code].status))],
  }),
  code: oneOf(codes, { description: 'Stable; programs should use this.' }),
  detail: Type.Optional(Type.String({ description: 'Explanation in words; it may change.' })),
  instance: Type.String({ format: 'uri-reference', description: 'Id of this request, as in X-Request-Id.' }),
});

const refusalMembers = {
  reason: Type.Optional(
    oneOf(Object.keys(refusalReasons) as RefusalReason[], { description: 'Why the address was refused.' }),
  ),
  suggestions: Type.Optional(
    Type.Array(Type.String(), { maxItems: 5, description: 'Canonical addresses that you may have meant.' }),
  ),
};

export type ProblemDocument = Described<TObject<ReturnType<typeof membersFor> & typeof refusalMembers>>;

/** Schema of a problem document with one of these codes. */
export function problemSchema(codes: readonly ProblemCode[]): TObject {
  const isRefusal = codes.includes('ADDRESS_NOT_FOUND') || codes.includes('OUTSIDE_ONTARIO');
  return isRefusal ? closed({ ...membersFor(codes), ...refusalMembers }) : closed(membersFor(codes));
}
