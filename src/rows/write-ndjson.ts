import type { RowWriter } from './row-writer.ts';

/** Writes one JSON document a line, so that line n belongs to row n: the body of the answer, or `code`, `detail` and what a failure adds. */
export const ndjsonWriter: RowWriter = {
  head: '',
  foot: '',
  row({ answer }) {
    if (answer.ok) return `${answer.value}\n`;
    const { code, detail, extras } = answer;
    return `${JSON.stringify({ code, detail, ...extras })}\n`;
  },
};
