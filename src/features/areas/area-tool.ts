import { Type } from 'typebox';
import { membersOf } from '../../core/http/answer-members.ts';
import { runLookup } from '../../core/http/lookup-route.ts';
import { splitLayers, withLayers } from '../../core/lookup/further-keys.ts';
import type { ComposeAnswer, Tool, ToolCall } from '../../feature.ts';
import { MOST_AREA_KM2 } from '../../messages/area-limits.ts';
import { areaRequestSchema, type AreaLookupBody } from '../../messages/wire/area-lookup.ts';
import { findingsWithin, type ExplainedBody } from '../../messages/wire/explained.ts';
import { mapOf } from '../../schema.ts';
import { areaOf } from './area-request.ts';
import { describeArea } from './describe-area.ts';

const number = Type.Number();

/** A lookup of an area for agents. */
export const areaTool: Tool = {
  name: 'lookup_area',
  title: 'Look up an area',
  description: `Returns how much of a parcel in Ontario each layer covers: shares of the area by value or by band, counts, and distances. Send longitude before latitude, at most ${MOST_AREA_KM2} km². A share of 0 means "no" only where unknownShare is 0. An answer is billed as one lookup.`,
  inputSchema: withLayers(areaRequestSchema),
  // Short and open, as those of the other tools.
  output: {
    ...{ areaM2: number, lat: number, lon: number, insideOntarioShare: number },
    warning: Type.Optional(Type.String()),
    layers: mapOf(
      Type.Object({
        unknownShare: number,
        share: Type.Optional(number),
        parts: Type.Optional(Type.Array(Type.Object({ value: Type.Unsafe({}), share: number }))),
        bands: Type.Optional(mapOf(number)),
      }),
    ),
    explained: Type.Optional(mapOf(Type.Unsafe<object>({ type: 'object' }))),
    explainedNot: Type.Optional(Type.Array(Type.String())),
  },
  run: lookUpArea,
};

async function lookUpArea(args: unknown, { services, res }: ToolCall): Promise<ComposeAnswer> {
  const { rest, further } = splitLayers(args, services.furtherKeys);
  const members = membersOf({ explain: 'en' }, services);
  const task = { kind: 'area', ...further, ...members, ...areaOf(rest, 'the arguments') } as const;
  const body = JSON.parse(await runLookup(services, res, task)) as AreaLookupBody & ExplainedBody;
  return (longest) => ({ ...describeArea(body, longest), ...findingsWithin(body, longest) });
}
