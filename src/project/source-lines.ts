import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { projectDir } from './project.ts';

/** A place in a stack trace: a file of the build, its line and column. */
const PLACE = /(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g;

/** Most maps that are kept: one takes megabytes, and a fault shows few of them again and again. */
const MOST_MAPS = 4;

/** By file; false: it has none, as a library outside the build. */
const maps = new LRUCache<string, SourceMap | false>({ max: MOST_MAPS });

/**
 * Returns a stack trace with the files and lines of the sources, `src/core/http/app.ts:12:3`, in place of those of the build. Node.js can do it by itself
 * (`--enable-source-maps`), but then it reads all maps at the start, which takes a tenth of it.
 */
export function withSourceLines(stack: string): string {
  return stack.replace(PLACE, (place, path: string, line: string, column: string) => {
    const file = place.startsWith('file:') ? fileURLToPath(`file://${path}`) : path;
    const map = mapOf(file);
    const origin = map && map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!origin || !('originalSource' in origin)) return place;
    const source = relative(projectDir, resolve(dirname(file), origin.originalSource));
    return `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | false {
  let map = maps.get(file);
  if (map === undefined) maps.set(file, (map = readMap(file)));
  return map;
}

function readMap(file: string): SourceMap | false {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return false;
  }
}
