/** What `/healthz` and `/readyz` answer. */
import { Type } from 'typebox';
import { closed, type Described } from '../../schema.ts';

export const aliveSchema = closed({ status: Type.Literal('alive'), uptimeS: Type.Integer() });
export type AliveBody = Described<typeof aliveSchema>;

/** Clients can rely on `ready` only: the rest is for operators, and may change. */
export const readySchema = Type.Object(
  { ready: Type.Boolean() },
  { description: 'Why the process can or cannot answer lookups.' },
);
export type ReadyBody = Described<typeof readySchema>;
