/** Problem documents (RFC 9457), which answer every request that fails. The codes are in src/messages/problems.ts, the reasons in src/messages/reasons.ts. */
import { Type } from 'typebox';
import { problems, type ProblemCode } from '../problems.ts';
import { hints, reasons, type Hint, type Reason } from '../reasons.ts';
import { closed, oneOf, reference, type Described } from '../../schema.ts';

const codes = Object.keys(problems) as ProblemCode[];

/** Components of the document. */
export const codeSchema = oneOf(codes, { description: 'What failed. Stable: programs should decide by this.' });
export const reasonSchema = oneOf(reasons, {
  description:
    'Why, where a code has several causes: 400, 401, 413, 422, 429, 503 and ADDRESS_NOT_FOUND. Stable, but there may be new ones.',
});

export const problemSchema = closed(
  {
    type: Type.String({ format: 'uri-reference', description: 'Where the code is explained.' }),
    title: Type.String({ description: 'What the code means, in words.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: reference<ProblemCode>('ProblemCode'),
    reason: Type.Optional(reference<Reason>('ProblemReason')),
    param: Type.Optional(
      Type.String({
        description:
          'Where a request is not valid: a JSON pointer into the body (RFC 6901; empty for the body as a whole), or the name of a query parameter or of a header.',
      }),
    ),
    hint: Type.Optional(
      oneOf(Object.keys(hints) as Hint[], {
        description: `What is wrong with a point outside Ontario that would be in it otherwise. ${Object.entries(hints)
          .map(([name, meaning]) => `${name}: ${meaning}.`)
          .join(' ')}`,
      }),
    ),
    detail: Type.Optional(Type.String({ description: 'Explanation in words; it may change.' })),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When a key ended that was good once (401), or the suspension of its customer began (402).',
      }),
    ),
    suggestions: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 5,
        description: 'Canonical addresses that you may have meant; with 404 and 422 of an address.',
      }),
    ),
    machine: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}$',
        description: 'Mark of the machine that keeps the batch; with the reason ELSEWHERE.',
      }),
    ),
    instance: Type.String({ format: 'uri-reference', description: 'Id of this request, as in X-Request-Id.' }),
  },
  { description: 'A failure (RFC 9457).' },
);
export type ProblemDocument = Described<typeof problemSchema>;
