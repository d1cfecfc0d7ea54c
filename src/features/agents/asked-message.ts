import { badRequest } from '../../messages/problems.ts';

/** A message as the packages get it, and the arguments of its tool, which they would copy and check value by value. */
export interface AskedMessage {
  readonly message: Message;
  /** Undefined: it has none, or they stayed in the message because they are no object. */
  readonly args: object | undefined;
  /** Name of the tool that it calls; undefined: it calls none. */
  readonly tool: unknown;
}

interface Message {
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

/** Characters, names and values of a message without the arguments of its tool. */
const MOST_AROUND_ARGUMENTS = 8 * 1024;

/** @throws AppError BAD_REQUEST for a large message that is not large by the arguments of its tool. */
export function requireSmall(message: Message): void {
  if (roomLeft(MOST_AROUND_ARGUMENTS, message) >= 0) return;
  throw badRequest('the message is too large beside the arguments of its tool', {
    reason: 'BODY_TOO_LARGE',
    param: '',
  });
}

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
