import type { Operation } from '../../core/openapi/operation.ts';
import { commonHeaders, parameter, problemResponses } from '../../core/openapi/responses.ts';
import { type Schema, closed } from '../../schema.ts';
import { idempotencyKeySchema } from '../../messages/wire/lookup.ts';
import { Type } from 'typebox';

const answer = { 'application/json': { schema: { $ref: '#/components/schemas/RpcAnswer' } } };

/** A failure of the protocol. */
const rpcFailure = (description: string): Schema => ({ description, headers: commonHeaders, content: answer });

/** The same status for a failure of the protocol and for one of the service. */
const either = (name: 'BadRequest' | 'Forbidden' | 'Internal'): Schema => {
  const problem = problemResponses[name]!;
  return { ...problem, content: { ...(problem['content'] as Schema), ...answer } };
};

export const mcpOperation: Operation = {
  operationId: 'mcp',
  tag: 'agents',
  summary: 'Tools for agents, by the Model Context Protocol',
  description:
    'Streamable HTTP without sessions, for the revision 2026-07-28 and those that begin with `initialize`. `tools/list` describes the tools. Messages that look nothing up need no key: `initialize`, `ping`, `tools/list`, and calls of the tools that are free. A call of any other tool is admitted, counted, limited and billed as a request to its route, and has the same headers. Its failure is a result with `isError`, whose text has the `code`, and in `next` what to do.',
  headers: [parameter('header', 'Idempotency-Key', idempotencyKeySchema)],
  body: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/RpcMessage' },
        example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      },
    },
  },
  answers: {
    200: { description: 'The answer to a request.', headers: commonHeaders, content: answer },
    202: { description: 'A notification was taken.', headers: commonHeaders },
    400: either('BadRequest'),
    403: either('Forbidden'),
    404: rpcFailure('The protocol has no such method here.'),
    406: rpcFailure('The header Accept must list application/json and text/event-stream.'),
    500: either('Internal'),
  },
};

const version = Type.Literal('2.0');
const id = { type: ['string', 'number', 'null'], description: 'Of the request; null where it cannot be read.' };

export const rpcMessageSchema = Type.Object(
  {
    jsonrpc: version,
    method: Type.String({ description: 'For example tools/list or tools/call.' }),
    id: Type.Optional(
      Type.Unsafe<string | number>({ ...id, type: ['string', 'number'], description: 'None: a notification.' }),
    ),
    params: Type.Optional(Type.Object({})),
  },
  { description: 'A request or a notification.' },
);

export const rpcAnswerSchema = closed(
  {
    jsonrpc: version,
    id: Type.Unsafe<string | number | null>(id),
    result: Type.Optional(Type.Object({}, { description: 'As the protocol defines it for the method.' })),
    error: Type.Optional(
      Type.Object({ code: Type.Integer(), message: Type.String() }, { description: 'A failure of the protocol.' }),
    ),
  },
  { description: 'The answer to a request.' },
);

export const MCP_PATH = '/mcp';
