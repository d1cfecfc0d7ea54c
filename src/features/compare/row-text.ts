/** Two rows with full answers, as texts: most layers of most rows have the same text in both, which is never parsed. */
import { SNAPSHOT, type RowFile, type RowLine } from './row-file.ts';

export type Side = 'before' | 'now';
export type Files = Readonly<Record<Side, RowFile>>;

/**
 * Returns both answers as JSON without the layers that have the same value and evidence in both, and without what they rest on. Null: nothing differs but the dates
 * of the data. Undefined: this is not the text that a batch writes, or what it rests on was not read yet.
 */
export function differingTexts(
  before: RowLine,
  now: RowLine,
  files: Files,
): Readonly<Record<Side, string>> | null | undefined {
  const [then, today] = [partsOf(before, files.before), partsOf(now, files.now)];
  if (!then || !today) return undefined;
  if (PARTS.every((name) => isSame(then[name], today[name]))) return null;
  if (![then.found, then.more, today.found, today.more].every(isApart)) return undefined;
  const layers = membersOf(then.layers, today.layers);
  const evidence = membersOf(then.evidence, today.evidence);
  if (layers === null || layers.length !== evidence?.length) return undefined;
  const others = layers.flatMap((layer, i) =>
    layer.isSame && evidence[i]!.isSame ? [] : [[layer, evidence[i]!] as const],
  );
  if (others.some((pair) => nameOf(pair[0].before) !== nameOf(pair[1].before))) return undefined;
  const answerOf = (side: Side, { place, found, more }: Parts): string => {
    const [values, rest] = ([0, 1] as const).map((i) => others.map((pair) => textOf(pair[i][side])).join());
    return `${textOf(place)},"layers":{${values}}${textOf(found)},"evidence":{${rest}}${textOf(more)}}`;
  };
  return { before: answerOf('before', then), now: answerOf('now', today) };
}

/** A part of a line. */
interface Part {
  readonly line: Buffer;
  readonly from: number;
  readonly to: number;
}

interface Parts {
  readonly place: Part;
  readonly layers: Part;
  /** How the place was found. */
  readonly found: Part;
  readonly evidence: Part;
  /** What was asked for besides, as rules. */
  readonly more: Part;
}

const PARTS = ['place', 'layers', 'found', 'evidence', 'more'] as const;

const BODY = Buffer.from('"body":');
const LAYERS = Buffer.from(',"layers":{');
const DATES = Buffer.from('},"dataAsOf":{');
const CLOSED = Buffer.from('}');
const EVIDENCE = Buffer.from(',"evidence":{');
const RESTS_ON = Buffer.from(SNAPSHOT);

/** The parts that a batch writes in this order. None of their names can stand in a text without a backslash. Null: the line has others, or rests on something else. */
function partsOf({ line }: RowLine, file: RowFile): Parts | null {
  const body = line.indexOf(BODY);
  const layers = line.indexOf(LAYERS, body);
  const dates = line.indexOf(DATES, layers);
  const found = line.indexOf(CLOSED, dates + DATES.length) + CLOSED.length;
  const evidence = line.indexOf(EVIDENCE, found);
  const end = line.lastIndexOf(RESTS_ON);
  if ([body, layers, dates, evidence].includes(-1) || end < evidence) return null;
  const more = file.restsAsRead(line, end);
  if (more === null) return null;
  return {
    place: { line, from: body + BODY.length, to: layers },
    // Without their last braces.
    layers: { line, from: layers + LAYERS.length, to: dates },
    evidence: { line, from: evidence + EVIDENCE.length, to: end - CLOSED.length },
    found: { line, from: found, to: evidence },
    more: { line, ...more },
  };
}

function isSame(one: Part, other: Part): boolean {
  return one.line.compare(other.line, other.from, other.to, one.from, one.to) === 0;
}

/** Of names that stand twice in an object, the last one counts. */
const TAKEN: ReadonlySet<string> = new Set(['"layers"', '"evidence"', '"snapshot"']);

/** Whether a part, which begins with a comma, has none of the members that are looked at elsewhere. */
function isApart(part: Part): boolean {
  let rest = { ...part, from: part.from + 1 };
  while (rest.from < rest.to) {
    const [end, name] = [endOfMember(rest), nameOf(rest)];
    if (end === null || !PLAIN.test(name) || TAKEN.has(name)) return false;
    rest = { ...rest, from: end + 1 };
  }
  return true;
}

function textOf({ line, from, to }: Part): string {
  return line.toString('utf8', from, to);
}

/** A member of two objects, with its name. */
interface Member extends Readonly<Record<Side, Part>> {
  readonly isSame: boolean;
}

/** The members of two objects. Null: they do not have the same names in the same order, or one of them twice. */
function membersOf(before: Part, now: Part): Member[] | null {
  const members: Member[] = [];
  const names = new Set<string>();
  let [one, other] = [before, now];
  while (one.from < one.to && other.from < other.to) {
    const sameTo = endOfMember(one, other);
    const ends = sameTo === null ? [endOfMember(one), endOfMember(other)] : [sameTo, other.from + sameTo - one.from];
    const [end, otherEnd] = ends;
    if (end == null || otherEnd == null) return null;
    const member = { isSame: sameTo !== null, before: { ...one, to: end }, now: { ...other, to: otherEnd } };
    const name = nameOf(member.before);
    if (!PLAIN.test(name) || name !== nameOf(member.now)) return null;
    names.add(name);
    members.push(member);
    [one, other] = [
      { ...one, from: end + 1 },
      { ...other, from: otherEnd + 1 },
    ];
  }
  return one.from < one.to || other.from < other.to || names.size < members.length ? null : members;
}

/** A name without spaces, and without a letter that is written as an escape. */
const PLAIN = /^"\w+"$/;

const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How many levels farther in the text is after a byte. */
const INWARD = new Int8Array(256);
for (const byte of Buffer.from('[{')) INWARD[byte] = 1;
for (const byte of Buffer.from(']}')) INWARD[byte] = -1;

/** Where the first member of a part ends. Null: the other part has another one, or the object ends before the part does. */
function endOfMember({ line, from, to }: Part, other = { line, from, to }): number | null {
  const by = other.from - from;
  let [level, isInText] = [0, false];
  for (let at = from; at < to; at++) {
    const byte = line[at]!;
    if (other.line[at + by] !== byte) return null;
    if (byte === QUOTE) isInText = !isInText || isEscaped(line, at);
    if (isInText) continue;
    level += INWARD[byte]!;
    if (level < 0) return null;
    if (byte === COMMA && level === 0) return at;
  }
  return to + by === other.to || other.line[to + by] === COMMA ? to : null;
}

function isEscaped(line: Buffer, at: number): boolean {
  let before = at;
  while (line[before - 1] === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

function nameOf({ line, from, to }: Part): string {
  return line.toString('latin1', from, Math.min(to, line.indexOf(COLON, from)));
}
