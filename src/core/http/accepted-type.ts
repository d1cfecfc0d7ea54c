import type { Request } from 'express';

/** Parameters of media types other than their weight, which begins with "q=". */
const PARAMETERS = /;\s*(?!q\s*=)[^\s;,="]+\s*(?:=\s*(?:"(?:\\.|[^"\\])*"|[^;,"]*))?/gi;

/**
 * Returns the one of some media types that a client prefers by its `Accept`, the first without the header; null: it takes none of them.
 * What it says of a type besides (`charset=utf-8`, `header=present`) does not count, because each type is served in one form.
 */
export function acceptedType<T extends string>(req: Request, types: readonly T[]): T | null {
  const { accept } = req.headers;
  if (accept?.includes(';')) req.headers.accept = accept.replaceAll(PARAMETERS, '');
  return (req.accepts([...types]) as T | false) || null;
}
