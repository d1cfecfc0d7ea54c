declare module '@koopjs/featureserver' {
  import type { Request, Response } from 'express';

  type Answer = (request: Request, response: Response, data: object) => void;
  const server: {
    readonly query: Answer;
    readonly layerInfo: Answer;
    readonly serverInfo: Answer;
    readonly restInfo: Answer;
  };
  export default server;
}
