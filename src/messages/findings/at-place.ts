/** What a layer has found at a place, in a sentence without a full stop: the heading of its card, and the beginning of what is explained. */
import type { LayerValue } from '../wire/lookup.ts';
import { fill } from './fill.ts';
import { nameOf, valueInWords, type SaidLayer, type Speech } from './speech.ts';

/** What was found. `distanceM`: of the nearest feature. */
export interface FoundAtPlace {
  readonly value: NonNullable<LayerValue>;
  readonly distanceM: number;
}

export function findingAt(layer: SaidLayer, found: FoundAtPlace, speech: Speech): string {
  const { words } = speech;
  const name = nameOf(layer, speech);
  switch (layer.kind) {
    case 'boolean':
      return hereOf(layer, speech) ?? fill(words.here, { name });
    case 'value':
    case 'object':
      return fill(words.value, { name: hereOf(layer, speech) ?? name, value: valueInWords(found.value, speech) });
    case 'count':
      return countOf(layer, found.value, speech);
    case 'proximity':
      return found.value === 'inside'
        ? (hereOf(layer, speech) ?? fill(words.here, { name }))
        : nearnessOf(layer, found, speech);
  }
}

/** How many there are, and how far the nearest is: members that each layer calls by its own names, in this order. */
function countOf(layer: SaidLayer, value: NonNullable<LayerValue>, speech: Speech): string {
  const { words, metres } = speech;
  const [count, nearestM] = Object.values(value as Readonly<Record<string, string | number | null>>);
  const told = { name: nameOf(layer, speech), count: count ?? 0, limit: metres(layer.radiusM ?? 0) };
  if (typeof nearestM !== 'number') return fill(words.countAlone, told);
  return fill(words.count, { ...told, distance: metres(nearestM) });
}

/** The words for a place that is in what the layer finds; null: its definition has none. */
export const hereOf = ({ reader }: SaidLayer, { language }: Speech): string | null => reader?.here?.[language] ?? null;

type Band = 'regulated' | 'adjacent';

function nearnessOf(layer: SaidLayer, { value, distanceM }: FoundAtPlace, speech: Speech): string {
  const band = value === 'regulated' ? 'regulated' : 'adjacent';
  const { words, metres, language } = speech;
  const from = layer.reader?.from?.[language];
  const distance = metres(distanceM);
  const finding = from
    ? fill(words.from, { distance, from })
    : fill(words.away, { name: nameOf(layer, speech), distance });
  const limitM = limitOf(layer, band, distanceM);
  if (limitM === null) return finding;
  return fill(band === 'regulated' && isRule(layer) ? words.ruled : words.near, { finding, limit: metres(limitM) });
}

/** A limit of what harms or restricts is a rule's; others only say what is near. */
export function isRule({ reader }: SaidLayer): boolean {
  return reader?.concern === 'hazard' || reader?.concern === 'restriction';
}

/** The narrowest limit of a band that a distance is within: some features have others. Null: it is within none. */
export function limitOf({ bandsM, specialBandsM }: SaidLayer, band: Band, distanceM: number): number | null {
  const limits = [bandsM, ...(specialBandsM ?? []).map((special) => special.bandsM)].flatMap(
    (bands) => bands?.[band] ?? [],
  );
  const within = limits.filter((limit) => limit >= distanceM);
  return within.length === 0 ? null : Math.min(...within);
}
