import { localhostOriginValidation } from '@modelcontextprotocol/express';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpHandlerRequestOptions,
  type McpServer,
} from '@modelcontextprotocol/server';
import { Router, type RequestHandler } from 'express';
import type { Logger } from 'winston';
import { badRequest } from '../../shared/problems.ts';
import { mcpPath } from '../lookup-paths.ts';
import { authenticate, refuseWhenFull } from '../key.ts';
import { onlyMethods } from '../problem.ts';
import { jsonBody, requireJson } from '../read-body.ts';
import { makeServer } from './server.ts';
import type { ToolContext } from './tools.ts';

export interface McpContext extends ToolContext {
  readonly logger: Pick<Logger, 'debug'>;
}

/** An area of the size that its own route takes, and the message around it. */
const MOST_BODY_BYTES = 576 * 1024;

/**
 * `POST /mcp`: the Model Context Protocol (Streamable HTTP), without sessions, for the revision 2026-07-28 and those since 2024-11-05 that begin
 * with `initialize`. The tools go the way of the routes: key, admission, limit, bill, log and metrics are the same. Checks 403 for the origin
 * first, then 401, 403, 402, 503, 400.
 */
export function mcpRoute(context: McpContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const before = [
    // A page of another site has no business here: the specification asks for this check against DNS rebinding.
    localhostOriginValidation(),
    authenticate(context),
    refuseWhenFull(context),
    requireJson,
    jsonBody({ mostBytes: MOST_BODY_BYTES, example: 'one JSON-RPC message' }),
    requireOneMessage,
  ];
  // Without sessions there is no stream to GET and no session to DELETE.
  router.route(mcpPath).post(before, serve(context)).all(onlyMethods('POST'));
  return router;
}

/** Batches are no longer part of the protocol; several lookups in one request would pass the admission as one. */
const requireOneMessage: RequestHandler = (req, _res, next) => {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('send one JSON-RPC message, an object', { param: '' });
  }
  if (isDeeper(body, MOST_LEVELS)) throw badRequest(`the message has over ${MOST_LEVELS} levels`, { param: '' });
  next();
};

/** Levels of a message: an area needs eight of them, and the package calls itself for each. */
const MOST_LEVELS = 50;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function serve(context: McpContext): RequestHandler {
  const onerror = ({ message }: Error): void => {
    context.logger.debug('mcp', { detail: message });
  };
  return async (req, res) => {
    const make = () => makeServer({ context, res });
    const modern = createMcpHandler(make, { legacy: 'reject', maxSubscriptions: 0, onerror });
    const handler = toNodeHandler({
      fetch: async (request, options = {}) =>
        (await isLegacyRequest(request, options.parsedBody))
          ? serveWithInitialize(make(), request, options)
          : modern.fetch(request, options),
    });
    // The package writes it behind the host, which makes no URL of one with a host of its own.
    req.url = mcpPath;
    await handler(req, res, req.body);
  };
}

/** Answers a message of the revisions before 2026-07-28 with JSON; what the package has for them answers with a stream. */
async function serveWithInitialize(
  server: McpServer,
  request: globalThis.Request,
  options: McpHandlerRequestOptions,
): Promise<globalThis.Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, options);
  } finally {
    await server.close();
  }
}
