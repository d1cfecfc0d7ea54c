import { sha256 } from '../../core/files/sha256.ts';
import { commonHeaders, header, quotaHeaders, usageHeaders, parameter, inJson } from '../../core/openapi/responses.ts';
import { runLookup } from '../../core/http/lookup-route.ts';
import type { SentText } from '../../core/http/read-body.ts';
import { route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import type { Services } from '../../core/http/services.ts';
import { shapeWords, type ShapeRules } from '../../core/lookup/json-shape.ts';
import { MOST_OF_AREA } from '../../messages/area-limits.ts';
import type { FullLookupBody } from '../../messages/wire/full-lookup.ts';
import { idempotencyKeySchema } from '../../messages/wire/lookup.ts';
import { badRequest } from '../../messages/problems.ts';
import type { Response } from 'express';
import { askedAgainIn, type AskedAgain } from './asked-again.ts';
import { compareSchemas, type Comparison, type LayerChange } from './wire.ts';

/** The geometry of an area and an answer. */
const MOST_BYTES = 576 * 1024;

/** Names and texts of an answer with all layers are some 1,500. */
const MOST_TEXTS = 4000;

const shape: ShapeRules = {
  most: { ...MOST_OF_AREA, texts: MOST_TEXTS },
  refusal: (beyond) =>
    badRequest(
      `the body has more ${shapeWords[beyond]} than an answer and a geometry: leave out the member "geometry" of the answer`,
      { param: '' },
    ),
};

/** `POST /api/compare`: what became of an answer. */
export const compareRoute = route<undefined, SentText>({
  method: 'post',
  path: '/api/compare',
  key: {},
  changes: 'no: it looks up',
  isLookup: true,
  body: {
    mostBytes: MOST_BYTES,
    example: '{"before": <the answer of a lookup with detail=full>}',
    shape,
    isText: true,
  },
  docs: ({ fullLookup }) => ({
    operationId: 'compare',
    tag: 'lookup',
    summary: 'Compare an answer that you kept with the answer of now',
    description:
      'Asks the question of the answer once more, with detail=full, and says for each layer what became of it and why. It is one lookup: admitted, counted and billed as one, with the same failures. An answer says which record of the data it rests on; that is not the day from which a law holds.',
    headers: [parameter('header', 'Idempotency-Key', idempotencyKeySchema)],
    body: ['CompareRequest', { before: { address: fullLookup.address, lat: fullLookup.lat, '…': 'the whole answer' } }],
    schemas: compareSchemas,
    answers: {
      200: {
        description: 'What became of each layer.',
        headers: { ...quotaHeaders, ...commonHeaders, ...usageHeaders, 'Land-Vintage': header('LandVintage') },
        content: inJson('Comparison', exampleOf(fullLookup)),
      },
    },
    failures: ['ADDRESS_NOT_FOUND', 'OUTSIDE_ONTARIO'],
  }),
  async handle({ services, res, body }) {
    const asked = askedAgainIn(body, services);
    sendJson(res, JSON.stringify(await compareWithNow(services, res, asked, markOf(res, body.value))));
  },
});

/** Compares an answer with that of now, which is one lookup. @param besides as `markOf` gives it. @throws AppError. */
export async function compareWithNow(
  services: Services,
  res: Response,
  { task, compare }: AskedAgain,
  besides: string | undefined,
): Promise<Comparison> {
  let comparison: Comparison | undefined;
  // Before the lookup is recorded, so that a refusal costs nothing.
  const onAnswer = (json: string): void => {
    comparison = compare(json);
  };
  await runLookup(services, res, task, { onAnswer, besides });
  return comparison!;
}

/** Identifies a request with an `Idempotency-Key`, whose lookup may be that of another answer too. It holds nothing of what was sent. */
export function markOf({ req }: Response, sent: () => unknown): string | undefined {
  return req.headers['idempotency-key'] === undefined ? undefined : sha256(JSON.stringify(sent()));
}

function exampleOf({ address, lat, lon, snapshot: { id: vintage, createdAt: at } }: FullLookupBody): Comparison {
  const wetland = { before: 'adjacent', now: 'regulated', distanceBeforeM: 44.1, distanceNowM: 27.9, cause: 'data' };
  return {
    before: { vintage: '20250701T020000Z-ba9876543210', at: '2025-07-01T02:00:00.000Z' },
    ...{ now: { vintage, at }, address, lat, lon, movedM: 0, changed: ['wetlandProximity'] },
    layers: { greenbelt: { change: 'none' }, wetlandProximity: { change: 'value', ...wetland } as LayerChange },
  };
}
