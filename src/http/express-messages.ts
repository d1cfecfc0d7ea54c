import type { Express } from 'express';
import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';

/**
 * Message classes for the server of an Express app. Express gives every request and response the app's prototype after it was made;
 * from then on V8 knows no shape of it and looks each property up the slow way: four tenths of what the main thread spends on a lookup
 * (docs/decisions/0006). Messages that are born with that prototype are left as they are.
 */
export function expressMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = inherit(ExpressRequest.prototype, app.request);
  app.response = inherit(ExpressResponse.prototype, app.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** The class makes the object, so that V8 lays it out at once; Express's methods come from above. */
function inherit<Methods extends object>(prototype: object, methods: Methods): Methods {
  return Object.setPrototypeOf(prototype, methods) as Methods;
}
