/** An area's answer as an agent reads it: shares with what is not known, never a bare null. */
import type { AreaLookupBody, AreaValue } from '../../messages/wire/area-lookup.ts';
import { cut } from '../../words.ts';

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
    ...{ areaM2, lat, lon, insideOntarioShare },
    ...(repaired ? { warning: 'The geometry was not valid. The answer is for what its rings surround.' } : {}),
    howToRead,
    layers: Object.fromEntries(
      Object.entries(layers).map(([key, value]) => [key, cut(describeLayer(value, mostParts), longest)]),
    ),
  };
}

interface Part {
  readonly share: number;
}

function describeLayer(value: AreaValue, mostParts: number): object {
  if (value === null) return { unknownShare: 1 };
  const { parts, ...rest } = value as { readonly parts?: readonly Part[] };
  if (!parts) return rest;
  const left = parts.slice(mostParts);
  const others = {
    values: left.length,
    share: Math.round(left.reduce((sum, { share }) => sum + share, 0) * 1e4) / 1e4,
  };
  return { parts: parts.slice(0, mostParts), ...(left.length > 0 ? { others } : {}), ...rest };
}
