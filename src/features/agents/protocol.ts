/** What the packages of the protocol do, which only this file and the server of a request load. */
import { localhostOriginValidation } from '@modelcontextprotocol/express';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpHandlerRequestOptions,
  type McpServer,
} from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import type { Services } from '../../http/services.ts';
import { MCP_PATH } from './path.ts';
import { makeServer } from './server.ts';

/** 403 for a page of another site: the specification asks for this check against DNS rebinding. */
export const refuseForeignOrigin = localhostOriginValidation();

/** Answers a message, whose body was read. */
export async function serve(services: Services, req: Request, res: Response): Promise<void> {
  const onerror = ({ message }: Error): void => {
    services.logger.debug('mcp', { detail: message });
  };
  const make = () => makeServer({ services, res });
  const modern = createMcpHandler(make, { legacy: 'reject', maxSubscriptions: 0, onerror });
  const { id, method } = req.body as { readonly id?: unknown; readonly method?: unknown };
  const handler = toNodeHandler({
    fetch: async (request, given = {}) => {
      const options = { ...given, parsedBody: req.body as unknown };
      return (await isLegacyRequest(request, req.body))
        ? serveWithInitialize(make(), request, options)
        : modern.fetch(request, options);
    },
  });
  // The package writes it behind the host, which makes no URL of one with a host of its own.
  req.url = MCP_PATH;
  // The package writes what it gets here as JSON again, which nobody reads: the message itself goes beside it.
  await handler(req, res, { id, method });
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
