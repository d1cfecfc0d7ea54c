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
import type { Services } from '../../core/http/services.ts';
import type { RunTool } from '../../feature.ts';
import { MCP_PATH } from './path.ts';
import type { Message } from './asked-message.ts';
import { makeServer } from './server.ts';

/** 403 for a page of another site: the specification asks for this check against DNS rebinding. */
export const refuseForeignOrigin = localhostOriginValidation();

export interface Exchange {
  readonly services: Services;
  readonly req: Request;
  readonly res: Response;
  readonly message: Message;
  /** Runs the tool that it calls; undefined: the message has what the tool needs. */
  readonly run: RunTool | undefined;
}

/** Answers a message. */
export async function serve({ services, req, res, message, run }: Exchange): Promise<void> {
  const onerror = ({ message }: Error): void => {
    services.logger.debug('mcp', { detail: message });
  };
  const make = () => makeServer({ services, res }, run);
  const modern = createMcpHandler(make, { legacy: 'reject', maxSubscriptions: 0, onerror });
  const handler = toNodeHandler({
    fetch: async (request, given = {}) => {
      const options = { ...given, parsedBody: message };
      return (await isLegacyRequest(request, message))
        ? serveWithInitialize(make(), request, options)
        : modern.fetch(request, options);
    },
  });
  // The package writes it behind the host, which makes no URL of one with a host of its own.
  req.url = MCP_PATH;
  // The package writes what it gets here as JSON again, which nobody reads: the message itself goes beside it.
  await handler(req, res, { id: message.id, method: message.method });
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
