import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

/** Limits for Prometheus, the only client of this port. */
const LIMITS = { headersTimeout: 5000, requestTimeout: 5000, maxHeaderSize: 16_384 };
const MAX_CONNECTIONS = 32;

/** Serves `GET /metrics` on the admin port, in the text format of Prometheus. */
export function createAdminServer(registry: Registry): Server {
  const server = createServer(LIMITS, (req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}
