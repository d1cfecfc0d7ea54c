import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../shared/problems.ts';

/** A file in memory, as it was at a time. */
interface Copy {
  readonly mtimeMs: number;
  readonly size: number;
  readonly bytes: Promise<Buffer>;
}

/**
 * Serves files by their path, never a listing or a redirect. All clients share one copy in memory: with a
 * stream for each, a slow reader of a file of 1.7 MB cost 13 ms of processor time and not 6. Browsers check each time whether their copy is
 * current.
 */
export function serveFiles(files: ReadonlyMap<string, string>): RequestHandler {
  const copies = new Map<string, Copy>();
  return async (req, res, next) => {
    const file = req.method === 'GET' || req.method === 'HEAD' ? files.get(decodedPath(req)) : undefined;
    if (file === undefined) {
      next();
      return;
    }
    const copy = await currentCopy(copies, file);
    const { mtimeMs, size } = copy;
    const version = `${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}`;
    res.set({ ETag: `W/"${version}"`, 'Last-Modified': new Date(mtimeMs).toUTCString() });
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    const bytes = await copy.bytes;
    res.type(extname(file) || '.bin').setHeader('Content-Length', bytes.length);
    res.end(bytes);
  };
}

/** Files by their path below a folder, as it is now, without dotfiles. */
export function filesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => join(parentPath, name));
  const paths = files.map((file): [string, string] => [`/${relative(folder, file)}`, file]);
  return new Map(paths.filter(([path]) => !path.includes('/.')));
}

function decodedPath({ path }: Request): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'the path cannot be decoded', { cause });
  }
}

/** Reads the file again when it has changed. Requests that come meanwhile wait for the same copy. */
async function currentCopy(copies: Map<string, Copy>, file: string): Promise<Copy> {
  const { mtimeMs, size } = await stat(file);
  const known = copies.get(file);
  if (known?.mtimeMs === mtimeMs && known.size === size) return known;
  const copy = { mtimeMs, size, bytes: readFile(file) };
  copies.set(file, copy);
  copy.bytes.catch(() => copies.delete(file));
  return copy;
}
