import { shapeWords, type ShapeRules } from '../../core/lookup/json-shape.ts';
import { counted, type Limited } from '../../core/limits/limit-words.ts';
import { MOST_OF_AREA } from '../../messages/area-limits.ts';
import type { RunTool, Tool, ToolCall } from '../../feature.ts';
import { badRequest, AppError } from '../../messages/problems.ts';
import { route, spendFree } from '../../core/http/route.ts';
import { mcpOperation, MCP_PATH } from './operation.ts';
import { requireKey } from '../../core/http/key.ts';
import { requestContextOf } from '../../core/http/request-context.ts';
import type { Exchange, Message } from './protocol.ts';
import { toolsPart } from './tools.ts';

/** An area of the size that its own route takes, and the message around it. */
const MOST_BODY_BYTES = 576 * 1024;

/** Messages of a network without a key: some assistants send those of all their users from a few addresses. */
export const OPEN_PER_HOUR = 10_000;

/** An area needs eight levels; an answer that is to be compared has some 1,500 names and texts. */
const shape: ShapeRules = {
  most: { ...MOST_OF_AREA, texts: 4000 },
  refusal: (beyond) => badRequest(`the message has over ${shape.most[beyond]} ${shapeWords[beyond]}`, { param: '' }),
};

/** Of messages without a key. */
export const openLimit: Limited = {
  name: 'open-messages',
  may: (limit) => `send ${counted(limit, 'message')} without a key`,
  holder: 'network',
};

/**
 * `POST /mcp`: the Model Context Protocol (Streamable HTTP), without sessions, for the revision 2026-07-28 and those since 2024-11-05 that begin
 * with `initialize`. The tools go the way of the routes: key, gate, limit, bill, log and metrics are the same. Checks 403 for the origin
 * first, then 401, 403, 402, 503, 400. Messages that look nothing up need no key, so that a program can find out what there is (docs/decisions/0281).
 */
export const mcpRoute = route<undefined, unknown>({
  method: 'post',
  path: MCP_PATH,
  // A page of another site has no business here: the specification asks for this check against DNS rebinding.
  before: [async (...request) => (await protocol()).refuseForeignOrigin(...request)],
  key: {},
  anybody: { counts: openLimit, most: OPEN_PER_HOUR },
  changes: 'no: its tools look up',
  isLookup: true,
  query: 'any',
  body: { mostBytes: MOST_BODY_BYTES, example: 'one JSON-RPC message', shape },
  docs: mcpOperation,
  // Without sessions there is no stream to GET and no session to DELETE.
  handle: ({ services, req, res, body }) => {
    const { message, args, tool: name } = askedOf(body);
    const isLarge = requestContextOf(res).largeBodyBytes !== undefined;
    if (isLarge) requireSmall(message);
    const tool = services.parts.of(toolsPart).tools.find((one) => one.name === name);
    const call = { services, res };
    let run: RunTool | undefined;
    if (tool && args) run = isLarge ? preparedTool(tool, args, call) : () => tool.run(args, call);
    return answer({ services, req, res, message, isCall: name !== undefined, tool, run });
  },
});

/** Not within the handler, which knows the arguments and would hold them. */
async function answer({
  services,
  req,
  res,
  message,
  isCall,
  tool,
  run,
}: Exchange & { readonly isCall: boolean; readonly tool: Tool | undefined }): Promise<void> {
  const { key } = requestContextOf(res);
  // `initialize`, `tools/list`, `ping`, notifications, and calls of tools that are free. An agent sends three when it begins.
  const isFree = tool === undefined || tool.isFree;
  if (key && isFree) await spendFree(services, res);
  // It throws: there is none.
  if (!key && isCall && !tool?.isFree) await requireKey(services, res);
  await (await protocol()).serve({ services, req, res, message, run });
  // Any other tool counts by itself, unless the package never came to it: for arguments that are no object, a call that is a notification, an `Accept` without the type
  // of the answer.
  services.refusedRequests.note(res, { isBad: !isFree && requestContextOf(res).tool === undefined });
}

/** Loaded for the first message (docs/decisions/0255): a tenth of a start is too much for what many machines never get. */
const protocol = () => import('./protocol.ts');

/**
 * Takes a message apart, for the packages would copy the arguments of its tool and check them value by value. Batches are no longer part of the protocol;
 * several lookups in one request would pass the gate as one.
 * @throws AppError BAD_REQUEST for what is no message.
 */
function askedOf(body: unknown): {
  readonly message: Message;
  /** Undefined: it has none, or they stayed in the message because they are no object. */
  readonly args: object | undefined;
  /** Name of the tool that it calls; undefined: it calls none. */
  readonly tool: unknown;
} {
  if (!isObject(body)) throw badRequest('send one JSON-RPC message, an object', { param: '' });
  const { method, params } = body as Message;
  if (method !== 'tools/call' || !isObject(params)) return { message: body, args: undefined, tool: undefined };
  const { arguments: args, name: tool } = params as { readonly arguments?: unknown; readonly name?: unknown };
  if (!isObject(args)) return { message: body, args: undefined, tool };
  return { message: { ...body, params: { ...params, arguments: {} } }, args, tool };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Characters, names and values of a message without the arguments of its tool, and of arguments that a tool cannot use. */
const MOST_OF_SMALL = 8 * 1024;

/** @throws AppError BAD_REQUEST for a large message that is not large by the arguments of its tool. */
function requireSmall(message: Message): void {
  if (roomLeft(MOST_OF_SMALL, message) < 0) throw tooLarge('the message is too large beside the arguments of its tool');
}

function tooLarge(detail: string): AppError {
  return badRequest(detail, { reason: 'BODY_TOO_LARGE', param: '' });
}

/**
 * Returns what runs a tool with large arguments, or fails with what is wrong with them. They are read at once: as long as something holds them, each
 * collection of garbage copies them, which takes longer than to parse them.
 */
function preparedTool(tool: Tool, args: object, call: ToolCall): RunTool {
  try {
    if (tool.prepare) return tool.prepare(args, call);
    if (roomLeft(MOST_OF_SMALL, args) < 0) throw tooLarge('the arguments are larger than any that this tool takes');
    return () => tool.run(args, call);
  } catch (cause) {
    const fault = AppError.from(cause);
    // Until it is written down, the stack of an error holds the lists whose methods it lies in: here all positions.
    void fault.stack;
    return failing(fault);
  }
}

// Not within the function that knows the arguments, which it would hold.
const failing = (fault: AppError) => () => {
  throw fault;
};

/** What is left of so much room beside a value; stops as soon as nothing is. */
function roomLeft(room: number, value: unknown): number {
  if (typeof value === 'string') return room - value.length;
  if (typeof value !== 'object' || value === null) return room - 1;
  let left = room;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  for (const name of names) left -= name.length;
  for (const member of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) {
    if (left < 0) break;
    left = roomLeft(left - 1, member);
  }
  return left;
}
