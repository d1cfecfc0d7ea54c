/** Messages of JSON-RPC 2.0, as `POST /mcp` takes and answers them. What is inside them is the Model Context Protocol's. */
import { Type } from 'typebox';
import { closed } from '../../schema.ts';

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
