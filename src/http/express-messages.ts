import type { Express } from 'express';
import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';

/**
 * Message classes for the server of an Express app. Express gives every request and response the app's prototype after it was made;
 * from then on V8 knows no shape of it and looks each property up the slow way: four tenths of what the main thread spends on a lookup
 * (docs/decisions/0006). Messages that are born with that prototype are left as they are.
 */
export function expressMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  return {
    IncomingMessage: bornWith(app.request, IncomingMessage),
    ServerResponse: bornWith<typeof ServerResponse>(app.response, ServerResponse),
  };
}

function bornWith<Message extends new (message: never) => object>(prototype: object, message: Message): Message {
  // Node's message classes are functions, which can be applied to an object that was made with another prototype.
  function Born(this: object, ...args: unknown[]): void {
    Reflect.apply(message, this, args);
  }
  Born.prototype = prototype;
  return Born as unknown as Message;
}
