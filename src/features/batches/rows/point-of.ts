import { isInOntarioBox, type Coordinate } from '../../../messages/lookup.ts';
import { cutShort } from '../../../messages/problems.ts';

/** What is wrong with one of the two, and which one it is. */
interface PointFault {
  readonly detail: string;
  readonly param: '/lat' | '/lon';
}

const LIMITS = { lat: 90, lon: 180 } as const;
type Name = keyof typeof LIMITS;

/** Reads the point of a row, each part a number or a text; otherwise says what is wrong, as its writer would call it. */
export function pointOf(lat: unknown, lon: unknown): Coordinate | PointFault {
  const point = { lat: numberOf(lat), lon: numberOf(lon) };
  const given = { lat, lon };
  for (const name of ['lat', 'lon'] as const) {
    const read = point[name];
    const cause = typeof read === 'string' ? read : Math.abs(read) > LIMITS[name] ? beyond(name, point) : null;
    if (cause !== null) return { detail: `${named(name, given[name])} ${cause}: ${WANTED}`, param: `/${name}` };
  }
  return point as Coordinate;
}

const WANTED = 'lat and lon must be WGS84 decimal degrees, such as 44.1 and -79.4';

function named(name: Name, value: unknown): string {
  const isShown = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  return isShown ? `${name} ${JSON.stringify(typeof value === 'string' ? cutShort(value) : value)}` : name;
}

/** Plain decimals only: Number() would also take '0x10' and 'Infinity'. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** What texts have in place of a decimal number, the surest first. */
const OTHER_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'is blank, and the other one is not'],
  [/^[+-]?(?:\d{1,2}|1[0-7]\d),\d+$/, 'has a decimal comma, not a point'],
  [/^[\u2010-\u2015\u2212]\s*[\d.]+$/, 'begins with another sign than the minus "-" of keyboards'],
  [/^[+-]?[\d.]+e[+-]?\d+$/i, 'is in scientific notation'],
  [/^[+-]?\d{1,3}(?:[,' \u00a0\u2009\u202f]\d{3})+(?:\.\d+)?$/, 'has signs between its thousands, and is in metres'],
  [/^[+-]?\d+\.\d+\s*[,;/\s]\s*[+-]?\d+\.\d+$/, 'holds two numbers'],
  [/^[NSEWO\s+-]*\d+[°ºd\s:-]+\d/i, 'is in degrees and minutes'],
  [/^[NSEWO\s]*[+-]?[\d.,]+\s*[°º]?\s*[NSEWO]*\s*$/i, 'has a sign or a letter behind or before its number'],
];

/** Returns the number, otherwise what the member is. */
function numberOf(member: unknown): number | string {
  if (typeof member === 'number') return member;
  if (member === undefined || member === null) return 'is missing, and the other one is there';
  if (typeof member !== 'string') return 'is no number';
  const text = member.trim();
  if (DECIMAL.test(text)) return Number(text);
  return OTHER_TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'is no number';
}

/** Degrees of a full turn: larger numbers are of another kind. */
const TURN = 360;

function beyond(name: Name, { lat, lon }: Readonly<Record<Name, number | string>>): string {
  if (Math.abs(Number(lat)) > TURN || Math.abs(Number(lon)) > TURN)
    return 'is no degree, and may be in metres (UTM or another grid): convert it';
  if (isInOntarioBox(Number(lat), Number(lon))) return 'is exchanged with the other one';
  return `is beyond -${LIMITS[name]} to ${LIMITS[name]}`;
}
