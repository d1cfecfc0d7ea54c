import { createServer, type Server } from 'node:http';
import express from 'express';
import type { Registry } from 'prom-client';
import { offeredSnapshots, type Offer } from './offered-snapshots.ts';

/** Limits for Prometheus and for machines that fetch a snapshot, the only clients of this port. */
const LIMITS = { headersTimeout: 5000, requestTimeout: 5000, maxHeaderSize: 16_384 };
const MAX_CONNECTIONS = 32;

export interface AdminContent {
  readonly registry: Registry;
  readonly offer: Offer;
}

/** Serves the admin port: `GET /metrics` in the text format of Prometheus, and the stored snapshots below `/snapshots`. */
export function createAdminServer({ registry, offer }: AdminContent): Server {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.get('/metrics', (_req, res) => {
    registry.metrics().then(
      (text) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  app.use('/snapshots', offeredSnapshots(offer));
  app.use((_req, res) => res.writeHead(404).end());
  const server = createServer(LIMITS, app);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}
