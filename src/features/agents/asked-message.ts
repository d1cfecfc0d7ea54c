import type { RunTool, Tool, ToolCall } from '../../feature.ts';
import { AppError, badRequest } from '../../messages/problems.ts';

/** A message as the packages get it, and the arguments of its tool, which they would copy and check value by value. */
export interface AskedMessage {
  readonly message: Message;
  /** Undefined: it has none, or they stayed in the message because they are no object. */
  readonly args: object | undefined;
  /** Name of the tool that it calls; undefined: it calls none. */
  readonly tool: unknown;
}

export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/**
 * Takes a message apart. Batches are no longer part of the protocol; several lookups in one request would pass the gate as one.
 * @throws AppError BAD_REQUEST for what is no message.
 */
export function askedOf(body: unknown): AskedMessage {
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
export function requireSmall(message: Message): void {
  if (roomLeft(MOST_OF_SMALL, message) < 0) throw tooLarge('the message is too large beside the arguments of its tool');
}

function tooLarge(detail: string): AppError {
  return badRequest(detail, { reason: 'BODY_TOO_LARGE', param: '' });
}

/**
 * Returns what runs a tool with large arguments, or fails with what is wrong with them. They are read at once: as long as something holds them, each
 * collection of garbage copies them, which takes longer than to parse them.
 */
export function preparedTool(tool: Tool, args: object, call: ToolCall): RunTool {
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
