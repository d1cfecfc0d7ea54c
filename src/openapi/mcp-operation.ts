import { idempotencyKeySchema } from '../shared/wire/lookup-request.ts';
import type { Schema } from '../shared/schema.ts';
import { commonHeaders, header, parameter, problemResponse } from './responses.ts';

const answer = { 'application/json': { schema: { $ref: '#/components/schemas/RpcAnswer' } } };

/** A failure of the protocol. */
const rpcFailure = (description: string): Schema => ({ description, headers: commonHeaders, content: answer });

/** The same status for a failure of the protocol and for one of the service. */
const either = (problem: Schema): Schema => ({ ...problem, content: { ...(problem['content'] as Schema), ...answer } });

export const mcpOperation: Schema = {
  operationId: 'mcp',
  tags: ['agents'],
  summary: 'Tools for agents, by the Model Context Protocol',
  description:
    'Streamable HTTP without sessions, for the revision 2026-07-28 and those that begin with `initialize`. `tools/list` describes the tools. A call of a tool is admitted, counted, limited and billed as a request to its route, and has the same headers. Its failure is a result with `isError`, whose text has the `code`, and in `next` what to do.',
  security: [{ key: [] }],
  parameters: [parameter('header', 'Idempotency-Key', idempotencyKeySchema)],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/RpcMessage' },
        examples: { list: { summary: 'The tools', value: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } },
      },
    },
  },
  responses: {
    200: { description: 'The answer to a request.', headers: commonHeaders, content: answer },
    202: { description: 'A notification was taken.', headers: commonHeaders },
    400: either(problemResponse(['BAD_REQUEST'])),
    401: problemResponse(['UNAUTHORIZED'], { 'WWW-Authenticate': header('WwwAuthenticate') }),
    402: problemResponse(['PAYMENT_REQUIRED']),
    403: either(problemResponse(['FORBIDDEN'])),
    404: rpcFailure('The protocol has no such method here.'),
    406: rpcFailure('The header Accept must list application/json and text/event-stream.'),
    429: problemResponse(['RATE_LIMITED'], { 'Retry-After': header('RetryAfter') }),
    500: either(problemResponse(['INTERNAL'])),
    503: problemResponse(['DB_ERROR'], { 'Retry-After': header('RetryAfter') }),
  },
};
