import { Type } from 'typebox';
import { splitMembers, toldMembers } from '../../core/http/answer-members.ts';
import { runLookup } from '../../core/http/lookup-route.ts';
import { splitLayers, withLayers } from '../../core/lookup/further-keys.ts';
import type { RunTool, Tool, ToolCall } from '../../feature.ts';
import { MOST_AREA_KM2 } from '../../messages/area-limits.ts';
import { type AreaLookupBody, type AreaValue, areaRequestSchema } from '../../messages/wire/area-lookup.ts';
import { findingsWithin, type Explained } from '../../messages/wire/explained.ts';
import { mapOf } from '../../schema.ts';
import { areaOf } from './area-request.ts';
import { cut } from '../../words.ts';

const number = Type.Number();
const text = Type.String();

/** A lookup of an area for agents. */
export const areaTool: Tool = {
  name: 'lookup_area',
  title: 'Look up an area',
  description: `Returns how much of a parcel in Ontario each layer covers: shares of the area by value or by band, counts, and distances. Send longitude before latitude, at most ${MOST_AREA_KM2} km². A share of 0 means "no" only where unknownShare is 0. An answer is billed as one lookup.`,
  inputSchema: withLayers(areaRequestSchema),
  // Short and open, as those of the other tools.
  output: {
    areaM2: number,
    lat: number,
    lon: number,
    insideOntarioShare: number,
    warning: Type.Optional(Type.String()),
    layers: mapOf(
      Type.Object({
        unknownShare: number,
        share: Type.Optional(number),
        parts: Type.Optional(
          Type.Array(Type.Object({ value: Type.Union([text, Type.Null(), Type.Object({})]), share: number })),
        ),
        bands: Type.Optional(mapOf(number)),
      }),
    ),
    explained: Type.Optional(mapOf(Type.Unsafe<object>({ type: 'object' }))),
    explainedNot: Type.Optional(Type.Array(Type.String())),
  },
  takesMembers: true,
  run: (args, call) => prepareArea(args, call)(),
  prepare: prepareArea,
};

function prepareArea(args: unknown, { services, res }: ToolCall): RunTool {
  const { rest: own, asked } = splitMembers(args, services);
  const { rest, further } = splitLayers(own, services.furtherKeys);
  const task = { kind: 'area', ...further, ...asked, ...areaOf(rest, 'the arguments') } as const;
  return async () => {
    const body = JSON.parse(await runLookup(services, res, task)) as AreaLookupBody & {
      readonly explained?: Explained;
    };
    return (longest) => ({
      ...describeArea(body, longest),
      ...findingsWithin(body, longest),
      ...toldMembers(body, services, longest),
    });
  };
}

// An area's answer as an agent reads it: shares with what is not known, never a bare null.

const howToRead = {
  share: 'part of the area, from 0 to 1; of proximity layers by band',
  unknownShare: 'part of the area where nobody knows; a share of 0 means "no" only where this is 0',
  distanceM: 'metres from the edge of the area to the nearest feature; 0 where they meet',
};

/** Most values of a layer that are listed. */
const MOST_PARTS = 8;
/** The same, where texts are cut short because the answer is long. */
const FEW_PARTS = 3;
const SHORT = 80;

/** Returns the body of an answer with its texts cut to `longest` characters, and of each layer the largest parts. */
export function describeArea(body: AreaLookupBody, longest: number): object {
  const { areaM2, lat, lon, repaired, insideOntarioShare, layers } = body;
  const mostParts = longest > SHORT ? MOST_PARTS : FEW_PARTS;
  return {
    areaM2,
    lat,
    lon,
    insideOntarioShare,
    ...(repaired ? { warning: 'The geometry was not valid. The answer is for what its rings surround.' } : {}),
    howToRead,
    layers: Object.fromEntries(
      Object.entries(layers).map(([key, value]) => [key, cut(describeLayer(value, mostParts), longest)]),
    ),
  };
}

function describeLayer(value: AreaValue, mostParts: number): object {
  if (value === null) return { unknownShare: 1 };
  const { parts, ...rest } = value as { readonly parts?: readonly { readonly share: number }[] };
  if (!parts) return rest;
  const left = parts.slice(mostParts);
  const others = {
    values: left.length,
    share: Math.round(left.reduce((sum, { share }) => sum + share, 0) * 1e4) / 1e4,
  };
  return { parts: parts.slice(0, mostParts), ...(left.length > 0 ? { others } : {}), ...rest };
}
