import { shapeWords, type ShapeRules } from '../../core/lookup/json-shape.ts';
import { counted, type Limited } from '../../core/limits/limit-words.ts';
import { MOST_OF_AREA } from '../../messages/area-limits.ts';
import type { RunTool, Tool } from '../../feature.ts';
import { badRequest } from '../../messages/problems.ts';
import { route, spendFree } from '../../core/http/route.ts';
import { mcpOperation } from './operation.ts';
import { MCP_PATH } from './path.ts';
import { requireKey } from '../../core/http/key.ts';
import { requestContextOf } from '../../core/http/request-context.ts';
import { askedOf, preparedTool, requireSmall } from './asked-message.ts';
import type { Exchange } from './protocol.ts';
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

interface Called extends Exchange {
  readonly isCall: boolean;
  readonly tool: Tool | undefined;
}

/** Not within the handler, which knows the arguments and would hold them. */
async function answer({ services, req, res, message, isCall, tool, run }: Called): Promise<void> {
  const { key } = requestContextOf(res);
  // `initialize`, `tools/list`, `ping`, notifications, and calls of tools that are free. An agent sends three when it begins.
  if (key && (tool === undefined || tool.isFree)) await spendFree(services, res);
  // It throws: there is none.
  if (!key && isCall && !tool?.isFree) await requireKey(services, res);
  await (await protocol()).serve({ services, req, res, message, run });
  services.refusedRequests.note(res);
}

/** Loaded for the first message (docs/decisions/0255): a tenth of a start is too much for what many machines never get. */
const protocol = () => import('./protocol.ts');
