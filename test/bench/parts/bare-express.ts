/** The least an Express route can do: reads JSON, sends the body it was started with. Prints its address. */
import express from 'express';
import type { AddressInfo } from 'node:net';

const body = process.env['BODY'] ?? '{}';
const app = express();
app.disable('x-powered-by');
app.post('/api/lookup', express.json(), (_req, res) => {
  res.setHeader('Content-Type', 'application/json');
  res.end(body);
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});
