import type { Express } from 'express';
import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';

/**
 * Makes message classes for the server of an Express app. Express sets the app's prototype on every request and
 * response. After that V8 has no known shape for the object, and each property access takes the slow path: 40 % of the
 * main thread's time for a lookup (docs/decisions/0006). Messages that are created with that prototype stay unchanged.
 */
export function expressMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = inherit(ExpressRequest.prototype, app.request);
  app.response = inherit(ExpressResponse.prototype, app.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Derives a class, so that V8 lays out the object at once; Express's methods come from the prototype. */
function inherit<Methods extends object>(prototype: object, methods: Methods): Methods {
  return Object.setPrototypeOf(prototype, methods) as Methods;
}
