import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOfPart } from '../source-field.ts';
import type { SourcePart } from '../sources.ts';
import { parseOnce } from '../parse-once.ts';
import { messageOf } from '../../words.ts';

/** What the operator's folder does with a definition: adds it, takes the place of the release's, or changes parts of a composite one. */
type OwnChange = 'adds' | 'replaces' | 'parts';

/** The text of a definition and what it says, before it is checked. */
interface DefinitionFile {
  /** For example `greenbelt.json`. */
  readonly name: string;
  /** For messages: the path of the operator's file, or `layers/NAME`. */
  readonly shownAs: string;
  /** Of the release's and the operator's file, one after the other where both count. */
  readonly text: string;
  readonly body: unknown;
  /** Null: the release's alone. */
  readonly own: OwnChange | null;
}

/**
 * Reads the definitions of the release and those of the operator, by name. An operator's file takes the place of the release's with the same name. Where both are
 * composite, it changes what it says and leaves the rest: a part takes the place of the one with its publisher and kind, or comes after the others.
 * @throws Error that names a file that is no JSON, or the folder that is not there.
 */
export function definitionFiles(layersDir: string, ownDir: string | null): readonly DefinitionFile[] {
  const released = new Set(namesIn(layersDir));
  const own = new Set(ownDir === null ? [] : ownNamesIn(ownDir));
  return [...new Set([...released, ...own])].sort().map((name): DefinitionFile => {
    const release = released.has(name) ? readJson(join(layersDir, name), `layers/${name}`) : null;
    if (!own.has(name)) return { name, shownAs: `layers/${name}`, ...release!, own: null };
    const shownAs = join(ownDir!, name);
    const mine = readJson(shownAs, shownAs);
    if (!release) return { name, shownAs, ...mine, own: 'adds' };
    const merged = withParts(release.body, mine.body);
    if (merged === null) return { name, shownAs, ...mine, own: 'replaces' };
    return { name, shownAs, text: `${release.text}\0${mine.text}`, body: merged, own: 'parts' };
  });
}

/** What the operator's folder changes, in words: `quiet_zone.json (adds)`. */
export function ownChanges(layersDir: string, ownDir: string | null): readonly string[] {
  return definitionFiles(layersDir, ownDir).flatMap(({ name, own }) => (own === null ? [] : [`${name} (${own})`]));
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.json'));
}

function ownNamesIn(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch (cause) {
    throw new Error(`LAYERS_DIR cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function readJson(file: string, shownAs: string): { readonly text: string; readonly body: unknown } {
  const text = readFileSync(file, 'utf8');
  try {
    return { text, body: parseOnce(text) };
  } catch (cause) {
    throw new Error(`${shownAs}: ${messageOf(cause)}`, { cause });
  }
}

/** Null when one of them is not composite. */
function withParts(release: unknown, own: unknown): unknown {
  if (!isComposite(release) || !isComposite(own)) return null;
  const [before] = release.sources;
  const [mine] = own.sources;
  const changed = new Map(mine.parts.map((part) => [nameOfPart(part), part]));
  const kept = before.parts.map((part) => changed.get(nameOfPart(part)) ?? part);
  const names = new Set(before.parts.map(nameOfPart));
  const added = mine.parts.filter((part) => !names.has(nameOfPart(part)));
  return { ...release, ...own, sources: [{ ...before, ...mine, parts: [...kept, ...added] }] };
}

/** Whether it is composite as far as parts can be compared; the schema says the rest. */
function isComposite(
  body: unknown,
): body is { readonly sources: readonly [{ readonly kind: 'composite'; readonly parts: readonly SourcePart[] }] } {
  const [source] = listOf(memberOf(body, 'sources'));
  const parts = memberOf(source, 'parts');
  return (
    memberOf(source, 'kind') === 'composite' &&
    Array.isArray(parts) &&
    listOf(parts).every((part) => ['publisher', 'kind'].every((name) => typeof memberOf(part, name) === 'string'))
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
