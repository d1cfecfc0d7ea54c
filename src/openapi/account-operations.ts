import type { Schema } from '../shared/schema.ts';
import {
  accountChangeSchema,
  accountSchema,
  furtherKeySchema,
  keyIdSchema,
  newKeySchema,
  portalSchema,
  rotatedKeySchema,
  rotationSchema,
  usageQuerySchema,
  usageSchema,
} from '../shared/wire/account.ts';
import { answered, commonHeaders, failures, inJson, parameter, quotaHeaders } from './responses.ts';

const ID = 'key_5d2e84b7690aa17c';
/** Invented: its checksum is wrong. */
const KEY = 'olk_0123456789ABCDEFGHIJKLMNOPQRSTUVinvent';

const account = {
  ...{ id: ID, name: 'Example Planning Inc.', createdAt: '2026-10-01T12:00:00.000Z', expiresAt: null },
  ...{ lastUsedAt: '2026-11-22T14:03:10.120Z', askedFrom: '203.0.113.7', isBilled: true, isSuspended: false },
  secrets: [{ createdAt: '2026-10-01T12:00:00.000Z', endsAt: null, isThis: true }],
  limits: { perHour: 1000, perSecond: null, atOnce: 64, batchRowsPerDay: 10_000, budgetPerMonth: null },
  ...{ networks: ['203.0.113.0/24'], hour: { left: 988, renewedInS: 1800 }, batchRowsToday: 2500 },
  month: {
    ...{ month: '2026-11', lookups: 1204, batchRows: 2500, elsewhere: 0, used: 3704 },
    ...{ budgetPerMonth: 10_000, ownBudgetPerMonth: 10_000, left: 6296, renewedAt: '2026-12-01T00:00:00.000Z' },
  },
  cost: { lookups: 3704, amount: 370.4, currency: 'CAD', perLookup: 0.1, isComplete: true },
  ...{ keys: [], mostKeys: 5 },
};

const usage = {
  ...{ from: '2026-11-21', to: '2026-11-22', of: 'key', covers: 'service' },
  total: { lookups: 120, batchRows: 2500 },
  days: [
    { day: '2026-11-21', lookups: 48, batchRows: 0 },
    { day: '2026-11-22', lookups: 72, batchRows: 2500 },
  ],
  months: [{ month: '2026-11', lookups: 120, batchRows: 2500 }],
};

const common = { tags: ['account'], security: [{ key: [] }] };
const LIMIT = 'Costs nothing, and has an hourly limit of its own. A suspended customer may use it.';
const CHANGES = `${LIMIT} The keys of a customer may be changed 50 times per day. A key that a rotation has replaced may change nothing.`;

const sent = (schema: string, value: unknown, required: boolean): Schema => ({
  required,
  content: inJson(schema, value),
});

const showOperation: Schema = {
  ...common,
  operationId: 'account',
  summary: 'What the key may do and has used',
  description: LIMIT,
  responses: { 200: answered('The account.', inJson('Account', account)), ...failures() },
};

const changeOperation: Schema = {
  ...common,
  operationId: 'changeAccount',
  summary: 'Set the monthly budget and the networks of the key',
  description: `Running servers see it within 10 seconds. ${CHANGES}`,
  requestBody: sent('AccountChange', { budgetPerMonth: 10_000, networks: ['203.0.113.0/24'] }, true),
  responses: { 200: answered('The account as it is now.', inJson('Account', account)), ...failures('CONFLICT') },
};

const usageOperation: Schema = {
  ...common,
  operationId: 'usageByDay',
  summary: 'Lookups and rows of batches by day and month',
  description: `As JSON, or as CSV for a client whose \`Accept\` prefers it. At most 400 days, and the last 400 days only. ${LIMIT}`,
  parameters: Object.entries(usageQuerySchema.properties).map(([name, schema]) => parameter('query', name, schema)),
  responses: {
    200: answered('The usage.', {
      ...inJson('AccountUsage', usage),
      'text/csv': {
        schema: { type: 'string' },
        examples: {
          sample: {
            summary: 'The days',
            value: 'month,day,lookups,batch_rows\r\n2026-11,2026-11-21,48,0\r\n2026-11,2026-11-22,72,2500\r\n',
          },
        },
      },
    }),
    ...failures(),
  },
};

const makeKeyOperation: Schema = {
  ...common,
  operationId: 'makeKey',
  summary: 'Make a further key of the same customer',
  description: `It has the limits and networks of the key that asks, each counted for itself. A customer may have five keys in force. ${CHANGES}`,
  requestBody: sent('FurtherKey', { name: 'Example Planning Inc., staging' }, false),
  responses: {
    201: answered(
      'The key.',
      inJson('NewKey', {
        ...{ key: KEY, id: 'key_90aa17c4be5d2f08', name: 'Example Planning Inc., staging' },
        ...{ createdAt: '2026-11-22T14:03:10.120Z', expiresAt: null },
      }),
    ),
    ...failures('PAYMENT_REQUIRED', 'CONFLICT'),
  },
};

const rotateOperation: Schema = {
  ...common,
  operationId: 'rotateKey',
  summary: 'Replace the key by another one',
  description: `Id, limits and usage stay. The key as it is now goes on for the hours of the overlap. ${CHANGES}`,
  requestBody: sent('Rotation', { overlapHours: 24 }, false),
  responses: {
    200: answered('The key.', inJson('RotatedKey', { key: KEY, id: ID, previousEndsAt: '2026-11-23T14:03:10.120Z' })),
    ...failures('CONFLICT'),
  },
};

const revokeOperation: Schema = {
  ...common,
  operationId: 'revokeKey',
  summary: 'End another key of the same customer',
  description: `Running servers refuse it within 10 seconds. ${CHANGES}`,
  parameters: [{ ...parameter('path', 'id', keyIdSchema), required: true, example: ID }],
  responses: {
    204: { description: 'It has ended.', headers: { ...quotaHeaders, ...commonHeaders } },
    ...failures('NOT_FOUND', 'CONFLICT'),
  },
};

const portalOperation: Schema = {
  ...common,
  operationId: 'billingPortal',
  summary: "Get a link to the payment processor's billing portal",
  description: `For invoices, payment methods and cancelling. ${LIMIT}`,
  responses: {
    200: answered('The link.', inJson('Portal', { url: 'https://billing.example.com/p/session/test_0123' })),
    ...failures('NOT_FOUND', 'CONFLICT'),
  },
};

export const accountPaths: Schema = {
  '/api/account': { get: showOperation, patch: changeOperation },
  '/api/account/usage': { get: usageOperation },
  '/api/account/keys': { post: makeKeyOperation },
  '/api/account/keys/rotate': { post: rotateOperation },
  '/api/account/keys/{id}': { delete: revokeOperation },
  '/api/account/portal': { post: portalOperation },
};

export const accountSchemas: Schema = {
  Account: accountSchema,
  AccountChange: accountChangeSchema,
  AccountUsage: usageSchema,
  FurtherKey: furtherKeySchema,
  NewKey: newKeySchema,
  Rotation: rotationSchema,
  RotatedKey: rotatedKeySchema,
  Portal: portalSchema,
};
