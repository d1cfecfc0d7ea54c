/** `/api/account/keys…`: the keys of the customer whose key asks. */
import { keyIdSchema } from '../../core/keys/records.ts';
import { makeFurtherKey, revokeOtherKey, rotateOwnKey } from './own-keys.ts';
import { answered, commonHeaders, inJson, quotaHeaders } from '../../core/openapi/responses.ts';
import { HOUR_MS } from '../../messages/time.ts';
import {
  DEFAULT_OVERLAP_HOURS,
  furtherKeySchema,
  newKeySchema,
  rotatedKeySchema,
  rotationSchema,
  type FurtherKey,
  type NewKeyBody,
  type RotatedKeyBody,
  type Rotation,
} from './wire.ts';
import { fromStore } from '../../core/http/key.ts';
import { bodyRules, route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import { CHANGES, own, spendChange, spendRequest } from './own.ts';

const ID = 'key_5d2e84b7690aa17c';
/** Invented: its checksum is wrong. */
const KEY = 'olk_0123456789ABCDEFGHIJKLMNOPQRSTUVinvent';
const NAME = 'Example Planning Inc., staging';

const rules = { key: own, limits: [spendRequest, spendChange] };

export const makeKey = route<undefined, FurtherKey>({
  method: 'post',
  path: '/api/account/keys',
  ...rules,
  changes: true,
  body: bodyRules(furtherKeySchema, { isOptional: true, must: { pattern: 'must be printable characters' } }),
  docs: {
    operationId: 'makeKey',
    tag: 'account',
    summary: 'Make a further key of the same customer',
    description: `It has the limits and networks of the key that asks, each counted for itself. A customer may have five keys in force. ${CHANGES}`,
    body: ['FurtherKey', { name: NAME }],
    schemas: { FurtherKey: furtherKeySchema, NewKey: newKeySchema },
    answers: {
      201: answered(
        'The key.',
        inJson('NewKey', {
          key: KEY,
          id: 'key_90aa17c4be5d2f08',
          name: NAME,
          createdAt: '2026-11-22T14:03:10.120Z',
          expiresAt: null,
        }),
      ),
    },
    failures: ['PAYMENT_REQUIRED', 'CONFLICT'],
  },
  async handle({ services, res, body, asker }) {
    const { key, record } = await fromStore(makeFurtherKey(services.keys, asker, body.name));
    const { id, name, createdAt, expiresAt } = record;
    sendJson(res, JSON.stringify({ key, id, name, createdAt, expiresAt } satisfies NewKeyBody), 201);
  },
});

export const rotateKey = route<undefined, Rotation>({
  method: 'post',
  path: '/api/account/keys/rotate',
  ...rules,
  changes: true,
  body: bodyRules(rotationSchema, { isOptional: true }),
  docs: {
    operationId: 'rotateKey',
    tag: 'account',
    summary: 'Replace the key by another one',
    description: `Id, limits and usage stay. The key as it is now goes on for the hours of the overlap. ${CHANGES}`,
    body: ['Rotation', { overlapHours: 24 }],
    schemas: { Rotation: rotationSchema, RotatedKey: rotatedKeySchema },
    answers: {
      200: answered('The key.', inJson('RotatedKey', { key: KEY, id: ID, previousEndsAt: '2026-11-23T14:03:10.120Z' })),
    },
    failures: ['CONFLICT'],
  },
  async handle({ services, res, asker, body: { overlapHours = DEFAULT_OVERLAP_HOURS } }) {
    const rotating = rotateOwnKey(services.keys, asker, overlapHours * HOUR_MS);
    const { key, record } = await fromStore(rotating);
    const ends = record.secrets.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
    const previousEndsAt = ends.sort().at(-1) ?? null;
    sendJson(res, JSON.stringify({ key, id: record.id, previousEndsAt } satisfies RotatedKeyBody));
  },
});

export const revokeKey = route({
  method: 'delete',
  path: '/api/account/keys/:id',
  ...rules,
  changes: true,
  docs: {
    operationId: 'revokeKey',
    tag: 'account',
    summary: 'End another key of the same customer',
    description: `Running servers refuse it within 10 seconds. ${CHANGES}`,
    path: { id: { ...keyIdSchema, example: ID } },
    answers: { 204: { description: 'It has ended.', headers: { ...quotaHeaders, ...commonHeaders } } },
    failures: ['NOT_FOUND', 'CONFLICT'],
  },
  async handle({ services, req, res, asker }) {
    await fromStore(revokeOtherKey(services.keys, asker, String(req.params['id'])));
    res.status(204).end();
  },
});
