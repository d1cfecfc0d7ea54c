/**
 * Mocha loads this first: whatever a test fetches from the service is held against the OpenAPI document, and an answer that
 * is not documented fails the test that asked for it.
 */
import { contractBreach } from './contract.ts';

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  // Other servers of the tests have no such header.
  if (!response.headers.has('x-request-id')) return response;
  const text = await response.clone().text();
  const breach = contractBreach({
    method: init?.method ?? 'GET',
    path: new URL(response.url).pathname,
    status: response.status,
    contentType: response.headers.get('content-type'),
    headers: response.headers,
    text,
  });
  if (breach !== null) throw new Error(breach);
  return response;
};
