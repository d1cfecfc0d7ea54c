import type { Failure } from '../../../messages/outcome.ts';
import { withAttribution } from '../../../core/layers/describe-licences.ts';
import type { RowWriter } from './row-writer.ts';

/**
 * Makes a writer of one JSON document a line, so that line n belongs to row n: the body of the answer, or `code`, `detail` and what a
 * failure adds. The first line also has the member `attribution`, for the whole file.
 */
export function ndjsonWriter(attribution: readonly string[]): RowWriter {
  return {
    head: '',
    foot: '',
    row({ row, answer }) {
      const line = `${answer.ok ? answer.value : failureLine(answer)}\n`;
      return row === 1 ? withAttribution(line, attribution) : line;
    },
  };
}

function failureLine({ code, detail, extras }: Failure): string {
  return JSON.stringify({ code, detail, ...extras });
}
