import { Type } from 'typebox';
import { countForNetwork, ANYBODY, type NetworkLimit } from '../../core/http/key.ts';
import { route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import { answersTo, commonHeaders, inJson } from '../../core/openapi/responses.ts';
import type { ServedFeature, ToolCall } from '../../feature.ts';
import { closed, mapOf, type Described } from '../../schema.ts';
import { geocodeSchema } from '../../messages/wire/geocode.ts';
import type { Response } from 'express';
import type { BodyWords } from '../../core/http/invalid.ts';
import { addressOf, pointOf } from '../../core/http/lookup-request.ts';
import type { Services } from '../../core/http/services.ts';
import { NO_LIMITS } from '../../core/keys/key-store.ts';
import { counted } from '../../core/limits/limit-words.ts';
import { tooMany } from '../../core/pool/gate.ts';
import { badRequest } from '../../messages/problems.ts';
import { lookupRequestSchema, type LookupRequest } from '../../messages/wire/lookup.ts';
import { pointRequestSchema, type PointRequest } from '../../messages/wire/point-lookup.ts';

const { address } = lookupRequestSchema.properties;
const { lat, lon, uncertaintyM } = pointRequestSchema.properties;

/** Not a choice of two objects: programs that reason read the schema of a tool as one. */
const coverageRequestSchema = closed(
  {
    address: Type.Optional(address),
    ...{ lat: Type.Optional(lat), lon: Type.Optional(lon), uncertaintyM },
  },
  { description: 'The body of a lookup of an address, or of a point.' },
);

const { accuracy, score } = geocodeSchema.properties;

const coverageSchema = closed(
  {
    known: mapOf(Type.Boolean(), {
      description:
        'By layer, whether its data say of this place what is there, and what is not. False: they do not reach the place, are not loaded, or are known only where they have something; a lookup may still find that.',
    }),
    address: Type.Union([closed({ accuracy, score }), Type.Null()], {
      description: 'How the address was found; null for a point.',
    }),
  },
  { description: 'What is known of a place, without what it is.' },
);
export type CoverageBody = Described<typeof coverageSchema>;

/** Somebody who tries addresses by hand does not reach it, and neither does a program that asks before each of its lookups. */
export const coverageLimit: NetworkLimit = {
  counts: { name: 'coverage', may: (limit) => `ask about coverage ${counted(limit, 'time')}`, holder: 'network' },
  most: 1000,
};

/** All networks together have the turn of one key, and so many places in it. */
const asker = { ...ANYBODY, limits: { ...NO_LIMITS, inFlight: 4 } };

/** A place, as its lookup would name it. */
type Place = ({ readonly kind: 'address' } & LookupRequest) | ({ readonly kind: 'point' } & PointRequest);

/** Reads the body of a lookup of an address, or of a point. @throws AppError BAD_REQUEST that names the error. */
function placeOf(sent: unknown, words?: BodyWords): Place {
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
  const isPoint = isObject && ('lat' in sent || 'lon' in sent);
  if (isObject && !isPoint && !('address' in sent))
    throw badRequest(`${words?.noun ?? 'the body'} must have the member "address", or "lat" and "lon"`, { param: '' });
  return isPoint ? { kind: 'point', ...pointOf(sent, words) } : { kind: 'address', ...addressOf(sent, words) };
}

/**
 * Answers a place with a `CoverageBody`, by the address register alone: nobody pays for the answer, and a remote geocoder may want money for each address.
 * @throws AppError as a lookup of the place; DB_ERROR when others wait.
 */
async function askCoverage({ gate }: Services, res: Response, place: Place): Promise<string> {
  // The words of the gate are for keys.
  if (gate.refusalOf(asker, 'plain') !== null) throw tooMany;
  const task = { ...place, full: false, writer: 'coverage' };
  const caller = { keyId: asker.id, kind: 'plain', isGone: () => res.destroyed } as const;
  const { json } = await gate.during(asker, 'plain', () => gate.lookup(task, caller));
  return json;
}

/** `POST /api/coverage`: whether a lookup of a place would know something. It needs no key, costs nothing, and leaves nothing in the usage journal. */
const coverageRoute = route<undefined, unknown>({
  method: 'post',
  path: '/api/coverage',
  key: null,
  anybody: coverageLimit,
  changes: 'no: it looks up',
  isLookup: true,
  body: { mostBytes: 8 * 1024, example: '{"address": "<street address>, <city>, ON"} or {"lat": 44.1, "lon": -78.6}' },
  docs: ({ address, coverage }) => ({
    operationId: 'coverage',
    tag: 'lookup',
    summary: 'What is known of a place, without its values: needs no key',
    description: `Needs no key and costs nothing. A network may ask ${coverageLimit.most} times per hour. Addresses are found by the address register alone.`,
    body: ['CoverageRequest', { address }],
    schemas: { CoverageRequest: coverageRequestSchema, Coverage: coverageSchema },
    answers: {
      200: {
        description: 'By layer, whether it is known there.',
        headers: commonHeaders,
        content: inJson('Coverage', coverage),
      },
      ...answersTo('BAD_REQUEST', 'ADDRESS_NOT_FOUND', 'OUTSIDE_ONTARIO', 'RATE_LIMITED', 'INTERNAL', 'DB_ERROR'),
    },
  }),
  handle: async ({ services, res, body }) => {
    sendJson(res, await askCoverage(services, res, placeOf(body)));
  },
});

/** Says what is known of a place before anybody pays for it: a route, and a tool for agents. */
export const coverage: ServedFeature = {
  routes: [coverageRoute],
  tools: [
    {
      name: 'coverage',
      title: 'Ask what is known of a place',
      description:
        'Says for an address, or for lat and lon, which layers are known there, and how well the address was found, without any value. Use it before a lookup that costs something. Free, needs no key.',
      inputSchema: coverageRequestSchema,
      output: { known: mapOf(Type.Boolean()), address: Type.Union([Type.Object({}), Type.Null()]) },
      isFree: true,
      run: askFor,
    },
  ],
};

async function askFor(args: unknown, { services, res }: ToolCall) {
  const place = placeOf(args, { noun: 'the arguments' });
  await countForNetwork(services, res, coverageLimit);
  const body = JSON.parse(await askCoverage(services, res, place)) as CoverageBody;
  return () => body;
}
