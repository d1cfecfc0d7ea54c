import type { AnsweredRow } from '../rows/row.ts';
import { fail } from '../shared/outcome.ts';
import { problems, type ProblemCode } from '../shared/problems.ts';

/** Stands before the last member of a line. In a text of JSON its quotes would be escaped. */
const BODY = ',"body":';

interface StoredRow {
  readonly row: number;
  readonly custom_id: string | null;
  readonly code: ProblemCode | null;
  readonly lookupId: string | null;
}

/** Reads a line of a chunk's result (`ChunkResult.text`). The body of an answer stays the text that it is. */
export function rowOfLine(line: string): AnsweredRow {
  const at = line.indexOf(BODY);
  const { row, custom_id: customId, code, lookupId } = JSON.parse(`${line.slice(0, at)}}`) as StoredRow;
  const body = line.slice(at + BODY.length, line.lastIndexOf('}'));
  if (code === null) return { row, customId, lookupId, answer: { ok: true, value: body } };
  const { detail = problems[code].title, ...extras } = JSON.parse(body) as { readonly detail?: string };
  return { row, customId, lookupId, answer: fail(code, detail, extras) };
}
