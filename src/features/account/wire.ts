/** What the holder of a key sees and changes: `/api/account…`. */
import { Type } from 'typebox';
import { keyIdSchema } from '../../core/keys/records.ts';
import { closed, nullable, oneOf, type Described } from '../../schema.ts';

/** Most days of one answer about usage. */
export const MOST_USAGE_DAYS = 400;
const MOST_OVERLAP_HOURS = 168;
export const DEFAULT_OVERLAP_HOURS = 24;
const MOST_NETWORKS = 50;
const MOST_BUDGET = 999_999_999;

const time = (description: string) => Type.String({ format: 'date-time', description });
const timeOrNull = (description: string) => nullable(Type.String({ format: 'date-time', description }));
const count = (description: string) => Type.Integer({ minimum: 0, description });
const countOrNull = (description: string) => nullable(Type.Integer({ minimum: 0, description }));

/** Not `\p{Cc}`, which only some readers of schemas understand. */
const PRINTABLE = '[^\\u0000-\\u001f\\u007f-\\u009f]';
const keyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: `^${PRINTABLE}*[^\\u0000-\\u0020\\u007f-\\u00a0]${PRINTABLE}*$`,
  description: 'What the key is called: printable characters.',
});
const plainKey = Type.String({
  pattern: '^olk_[0-9A-Za-z]{38}$',
  description: 'The key itself. It is shown this once.',
});

const otherKey = closed(
  {
    id: keyIdSchema,
    name: Type.String(),
    createdAt: time('When it was made, UTC.'),
    expiresAt: timeOrNull('When it ends, UTC; null: never.'),
    lastUsedAt: timeOrNull('Its last use, to about a minute; null: none.'),
  },
  { description: 'Another key of the same customer.' },
);

const secret = closed({
  createdAt: time('When it was made, UTC.'),
  endsAt: timeOrNull('When it ends after a rotation, UTC; null: not before the key does.'),
  isThis: Type.Boolean({ description: 'True: the request came with this one.' }),
});

const limits = closed({
  perHour: count('Lookups per hour.'),
  perSecond: countOrNull('Lookups per second; null: as many as the hour allows.'),
  atOnce: count('Lookups under way at once.'),
  batchRowsPerDay: count('Rows of batches per day, UTC; 0: no batches.'),
  budgetPerMonth: countOrNull('Most that the operator allows per calendar month; null: any number.'),
});

const month = closed({
  month: Type.String({ pattern: '^\\d{4}-\\d\\d$', description: 'The calendar month, UTC.' }),
  lookups: count('Lookups that the machine which answers has answered with 200 for this key.'),
  batchRows: count('The same for rows of batches.'),
  elsewhere: countOrNull('Lookups and rows on other machines, some seconds old; null: not known at the moment.'),
  used: count('All of these: what counts against the budget. At least so many when `elsewhere` is null.'),
  budgetPerMonth: countOrNull("The budget in force: the operator's or the key's own, whichever is smaller."),
  ownBudgetPerMonth: countOrNull('The budget that the holder of the key set.'),
  left: countOrNull('What is left of the budget; null: there is no budget, or `elsewhere` is not known.'),
  renewedAt: time('When the next month begins, UTC.'),
});

const cost = closed(
  {
    lookups: count('Lookups and rows of batches in this month, of all keys of the customer.'),
    amount: nullable(
      Type.Number({
        description:
          'What they cost, before taxes, in whole units of the currency; null: the price is not known at the moment. The invoice counts.',
      }),
    ),
    currency: nullable(Type.String({ pattern: '^[A-Z]{3}$' })),
    perLookup: nullable(Type.Number({ description: 'Price of one.' })),
    isComplete: Type.Boolean({
      description: 'False: lookups on other machines are not known at the moment and are not counted in.',
    }),
  },
  { description: 'The cost so far in this month.' },
);

export const accountSchema = closed(
  {
    id: keyIdSchema,
    name: Type.String(),
    createdAt: time('When the key was made, UTC.'),
    expiresAt: timeOrNull('When it ends, UTC; null: never.'),
    lastUsedAt: timeOrNull('The last use that is stored, to about a minute; null: none.'),
    askedFrom: Type.String({ description: 'Address that the request came from, as the service sees it.' }),
    isBilled: Type.Boolean({ description: 'True: the key belongs to a customer who pays.' }),
    isSuspended: Type.Boolean({ description: 'True: lookups of the customer get 402.' }),
    secrets: Type.Array(secret, { description: 'Secrets in force, oldest first. Several while a rotation lasts.' }),
    limits,
    networks: Type.Array(Type.String(), {
      description: 'Networks that the key may be used from, in CIDR notation; empty: every network.',
    }),
    hour: closed({
      left: count('Lookups that are left.'),
      renewedInS: count('Whole seconds until they are renewed.'),
    }),
    batchRowsToday: count('Rows of batches that were accepted today, UTC.'),
    month,
    cost: nullable(cost),
    keys: Type.Array(otherKey, { description: 'Other keys of the customer that are in force, oldest first.' }),
    mostKeys: count('Most keys of a customer in force.'),
  },
  { description: 'The key that asks, what it may do and what it has used.' },
);
export type AccountBody = Described<typeof accountSchema>;

export const accountChangeSchema = closed(
  {
    budgetPerMonth: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: MOST_BUDGET,
          description: 'Lookups and rows of batches per calendar month, UTC; null: no budget of its own.',
        }),
      ),
    ),
    networks: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), {
        maxItems: MOST_NETWORKS,
        description:
          'Networks in CIDR notation, or addresses. They must hold the address that asks; empty: every network.',
      }),
    ),
  },
  { minProperties: 1, description: 'What changes. Members that are missing stay as they are.' },
);
export type AccountChange = Described<typeof accountChangeSchema>;

export const furtherKeySchema = closed(
  { name: Type.Optional(keyName) },
  { description: 'Without a name the key is called like the one that asks.' },
);
export type FurtherKey = Described<typeof furtherKeySchema>;

export const newKeySchema = closed({
  key: plainKey,
  id: keyIdSchema,
  name: Type.String(),
  createdAt: time('When it was made, UTC.'),
  expiresAt: timeOrNull('When it ends, UTC; null: never.'),
});
export type NewKeyBody = Described<typeof newKeySchema>;

export const rotationSchema = closed({
  overlapHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MOST_OVERLAP_HOURS,
      default: DEFAULT_OVERLAP_HOURS,
      description: 'Hours for which the key as it is now goes on.',
    }),
  ),
});
export type Rotation = Described<typeof rotationSchema>;

export const rotatedKeySchema = closed({
  key: plainKey,
  id: keyIdSchema,
  previousEndsAt: timeOrNull('Until when the key before it works too, UTC; null: it has ended.'),
});
export type RotatedKeyBody = Described<typeof rotatedKeySchema>;

export const portalSchema = closed({
  url: Type.String({
    description:
      "Address of the processor's billing portal for this customer. Whoever has it sees the invoices: it is valid for minutes.",
  }),
});
export type PortalBody = Described<typeof portalSchema>;

const day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description });

export const usageQuerySchema = closed({
  from: Type.Optional(day('First day, UTC. Unless it is given: the first of the month of the last day.')),
  to: Type.Optional(day('Last day, UTC. Unless it is given: today.')),
  of: Type.Optional(
    oneOf(['key', 'customer'], {
      description: '`key`: of the key that asks, the default. `customer`: of all keys of its customer.',
    }),
  ),
});
export type UsageQuery = Described<typeof usageQuerySchema>;

const counts = {
  lookups: count('Lookups that were answered with 200.'),
  batchRows: count('Rows of batches that were answered with 200.'),
};

export const usageSchema = closed(
  {
    from: day('First day, UTC.'),
    to: day('Last day, UTC.'),
    of: oneOf(['key', 'customer'], { description: 'Whose they are.' }),
    covers: oneOf(['service', 'machine'], {
      description: '`machine`: only what the machine that answers has answered. Other machines count their own.',
    }),
    total: closed(counts),
    days: Type.Array(closed({ day: day('UTC.'), ...counts }), { description: 'Every day, oldest first.' }),
    months: Type.Array(closed({ month: Type.String({ pattern: '^\\d{4}-\\d\\d$' }), ...counts }), {
      description: 'The same days by calendar month, oldest first.',
    }),
  },
  { description: 'Lookups and rows of batches. Each of them is one on the bill.' },
);
export type UsageBody = Described<typeof usageSchema>;
