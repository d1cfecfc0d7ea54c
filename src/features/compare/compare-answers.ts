/** What became of each layer between two answers to the same question (docs/decisions/0278). */
import { distanceM as metresBetween } from '../../addresses/distance.ts';
import { proximityClasses } from '../../catalogue/proximity-class-names.ts';
import { isObject, type KeptAnswer, type KeptEvidence } from './kept-answer.ts';
import type { Cause, Change, Comparison, LayerChange } from './wire.ts';

/**
 * Distances of evidence that differ by no more are the same: they are written with one decimal, and a feature that is redrawn with 5 mm of noise may move one of them by
 * one step.
 */
const SAME_M = 0.1 + 1e-9;

/** The same of distances in values, which are whole metres. */
const SAME_WHOLE_M = 1;

/** Shares have four decimals. */
const SAME_SHARE = 1e-4 + 1e-9;

/** So far the border of a feature that is redrawn may be from where it was. */
const REDRAWN_M = 0.01;

export const SAME: LayerChange = { change: 'none' };

/** Compares two answers to the same question. */
export function compareAnswers(before: KeptAnswer, now: KeptAnswer): Comparison {
  const isMoved = isArea(now) ? isOtherSize(before, now) : before.lat !== now.lat || before.lon !== now.lon;
  // Those of now come first.
  const read = { ...now.layers, ...before.layers };
  const layers = Object.fromEntries(
    Object.keys(read).map((key) => [key, compareLayer(key, { before, now, isMoved })] as const),
  );
  return {
    ...unchanged(before, now.snapshot, layers),
    address: now.address ?? null,
    ...{ lat: now.lat, lon: now.lon },
    movedM: isMoved ? Math.round(metresBetween(before, now) * 10) / 10 : 0,
    changed: Object.keys(layers).filter((key) => layers[key]!.change !== 'none'),
  };
}

/** The comparison with an answer of now that is the same but for what it rests on. @param layers all of them. */
export function unchanged(
  { snapshot, address = null, lat, lon }: KeptAnswer,
  now: KeptAnswer['snapshot'],
  layers: Comparison['layers'],
): Comparison {
  const records = { before: recordOf(snapshot), now: recordOf(now) };
  return { ...records, address, lat, lon, movedM: 0, changed: [], layers };
}

interface Asked {
  readonly before: KeptAnswer;
  readonly now: KeptAnswer;
  readonly isMoved: boolean;
}

function recordOf({ id, createdAt }: KeptAnswer['snapshot']): Comparison['before'] {
  return { vintage: id, at: createdAt };
}

function isArea({ areaM2 }: KeptAnswer): boolean {
  return areaM2 !== undefined;
}

/** A later version may repair an outline otherwise. */
const MOST_OTHER_SIZE = 0.02;

/** Whether an area is another one than before, which its size tells. */
export function isOtherSize({ areaM2, repaired }: KeptAnswer, now: KeptAnswer): boolean {
  if (areaM2 === undefined || repaired === true) return false;
  return Math.abs(now.areaM2! - areaM2) > MOST_OTHER_SIZE * areaM2 + 1;
}

/** What an answer says of a layer. */
interface Said {
  readonly value: unknown;
  readonly evidence: KeptEvidence | undefined;
  /** 1: nothing is known. Of a place it is 0 or 1. */
  readonly unknownShare: number;
  /** Something is there. */
  readonly isThere: boolean;
}

function compareLayer(key: string, asked: Asked): LayerChange {
  const [before, now] = [saidOf(key, asked.before), saidOf(key, asked.now)];
  if (isUnasked(before, now, asked)) return SAME;
  const isOtherShare = before.unknownShare !== now.unknownShare;
  // Most layers.
  if (before.value === now.value && featureOf(before) === featureOf(now) && !isOtherShare) return SAME;
  const change = changeOf(before, now, asked);
  if (change === 'none') return SAME;
  const [distanceBeforeM, distanceNowM] = [distanceOf(before), distanceOf(now)];
  const isOtherFeature = change === 'value' && isSame(before.value, now.value, () => 0);
  return {
    ...{ change, before: before.value ?? null, now: now.value ?? null },
    ...(distanceBeforeM === null ? {} : { distanceBeforeM }),
    ...(distanceNowM === null ? {} : { distanceNowM }),
    ...(isOtherFeature ? { featureBefore: featureOf(before), featureNow: featureOf(now) } : {}),
    cause: causeOf(before, now, asked),
  };
}

/** Whether one of the answers does not have the layer. */
const isInOne = (before: Said, now: Said): boolean => before.evidence === undefined || now.evidence === undefined;

/** By the same definitions it was not asked for. */
function isUnasked(before: Said, now: Said, { before: from, now: to }: Asked): boolean {
  return isInOne(before, now) && from.snapshot.definitions === to.snapshot.definitions;
}

function saidOf(key: string, answer: KeptAnswer): Said {
  if (!Object.hasOwn(answer.layers, key)) return { value: null, evidence: undefined, unknownShare: 1, isThere: false };
  const value = answer.layers[key];
  const evidence = answer.evidence[key];
  if (!isArea(answer)) {
    const isKnown = evidence?.state === 'present' || evidence?.state === 'absent';
    return { value, evidence, unknownShare: isKnown ? 0 : 1, isThere: evidence?.state === 'present' };
  }
  const { unknownShare = 1 } = (value ?? {}) as { readonly unknownShare?: number };
  return { value, evidence, unknownShare, isThere: isThereInArea(value) };
}

/** A count of an area is there where any of its numbers of features is not 0: one is of the area, the other of the land around it too. */
function isThereInArea(value: unknown): boolean {
  if (!isObject(value)) return false;
  const figures: {
    readonly share?: number;
    readonly parts?: readonly unknown[];
    readonly bands?: Readonly<Record<string, number>>;
    /** Of a count. */
    readonly count?: number;
  } = value;
  const { share, parts, bands } = figures;
  if (share !== undefined) return share > 0;
  if (parts !== undefined) return parts.length > 0;
  if (bands !== undefined) return Object.entries(bands).some(([band, part]) => band !== 'outside' && part > 0);
  return Object.entries(value).some(([name, figure]) => name !== 'unknownShare' && Number(figure) > 0);
}

function changeOf(before: Said, now: Said, asked: Asked): Change {
  const shareAtMost = sameShareOf(asked.now);
  const lost = now.unknownShare - before.unknownShare;
  if (Math.abs(lost) > shareAtMost) return lost < 0 ? 'known' : 'unknown';
  if (now.unknownShare === 1 || before.unknownShare === 1) return 'none';
  const isSameValue = isSame(before.value, now.value, toleranceFor(before, now, shareAtMost));
  if (isSameValue) return before.isThere && now.isThere && hasOtherFacts(before, now, asked) ? 'value' : 'none';
  if (before.isThere === now.isThere) return 'value';
  return now.isThere ? 'appeared' : 'disappeared';
}

/** How far shares of an area may differ by redrawing: by a border as long as that of a square of its size. */
function sameShareOf({ areaM2 = 1 }: KeptAnswer): number {
  return SAME_SHARE + (4 * REDRAWN_M) / Math.sqrt(areaM2);
}

/** How much numbers of a value may differ, by the name of their member; Infinity: they do not count. */
type Tolerance = (name: string) => number;

function toleranceFor(before: Said, now: Said, shareAtMost: number): Tolerance {
  const [one, other] = [before.evidence?.distanceM, now.evidence?.distanceM];
  // A whole metre may differ by rounding alone, unless the decimals of the evidence say more.
  const isMoved = typeof one === 'number' && typeof other === 'number' && Math.abs(one - other) > SAME_M;
  return (name) => {
    if (name === 'distanceM') return Infinity;
    if (/DistanceM$/.test(name)) return isMoved ? 0 : SAME_WHOLE_M;
    return /^(share|unknownShare)$/.test(name) || BANDS.has(name) ? shareAtMost : 0;
  };
}

const BANDS: ReadonlySet<string> = new Set(proximityClasses);

function isSame(before: unknown, now: unknown, tolerance: Tolerance, name = ''): boolean {
  if (before === now) return true;
  const atMost = tolerance(name);
  if (atMost === Infinity) return true;
  if (typeof before === 'number' && typeof now === 'number') return Math.abs(before - now) <= atMost;
  if (Array.isArray(before) && Array.isArray(now)) return isSameParts(before, now, tolerance);
  if (!isObject(before) || !isObject(now)) return false;
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].every((member) => isSame(before[member], now[member], tolerance, member));
}

/** Parts of an area by their values: one that is missing has no share. */
function isSameParts(before: readonly unknown[], now: readonly unknown[], tolerance: Tolerance): boolean {
  const [then, today] = [before, now].map((parts) => new Map(parts.map(sharedPart)));
  return [...new Set([...then!.keys(), ...today!.keys()])].every((value) =>
    isSame(then!.get(value) ?? 0, today!.get(value) ?? 0, tolerance, 'share'),
  );
}

function sharedPart(part: unknown): [string, unknown] {
  const { value, share } = part as { readonly value: unknown; readonly share: number };
  return [JSON.stringify(value), share];
}

const featureOf = ({ evidence }: Said): NonNullable<KeptEvidence['feature']> | null => evidence?.feature ?? null;

/** Whether the deciding feature is another one. By other definitions it may have further facts: those say nothing of it. */
function hasOtherFacts(before: Said, now: Said, { before: from, now: to }: Asked): boolean {
  const [then, today] = [featureOf(before), featureOf(now)];
  if (from.snapshot.definitions === to.snapshot.definitions) return !isSame(then, today, () => 0);
  if (then === null || today === null) return false;
  return Object.keys(then).some((name) => name in today && then[name] !== today[name]);
}

function distanceOf({ value, evidence }: Said): number | null {
  if (evidence?.distanceM !== undefined) return evidence.distanceM;
  const inArea = isObject(value) ? value['distanceM'] : null;
  return typeof inArea === 'number' ? inArea : null;
}

/** Equal marks exclude a cause. What is left where all are equal is the program itself, which belongs to how a layer is defined. */
function causeOf(before: Said, now: Said, { before: from, now: to, isMoved }: Asked): Cause {
  if (isInOne(before, now)) return 'definition';
  if (isMoved) return 'address';
  const ids = [...(before.evidence?.dataSets ?? []), ...(now.evidence?.dataSets ?? [])];
  const isOtherData = ids.some((id) => from.snapshot.dataSets[id] !== to.snapshot.dataSets[id]);
  if (!isOtherData) return 'definition';
  if (from.snapshot.definitions === to.snapshot.definitions) return 'data';
  return isAsFar(before, now) ? 'definition' : 'data';
}

/** Whether the feature that decides a band is where it was. Where one of the two answers found none, it is if the other one's is beyond what it searched. */
function isAsFar(before: Said, now: Said): boolean {
  // Other facts of a feature are other data.
  if (before.value === now.value) return false;
  if (![before, now].every(({ value }) => BANDS.has(String(value)))) return false;
  const [one, other] = [distanceOf(before), distanceOf(now)];
  if (one !== null && other !== null) return one > 0 && Math.abs(one - other) <= SAME_M;
  return isBeyond(one, now) || isBeyond(other, before);
}

function isBeyond(distanceM: number | null, { evidence }: Said): boolean {
  return distanceM !== null && distanceM > (evidence?.searchedM ?? Infinity);
}
