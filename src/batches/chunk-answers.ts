import { counted, noRows } from '../rows/outcomes.ts';
import { fail, type Failure, type Outcome } from '../shared/outcome.ts';
import type { LimitReason } from '../shared/reasons.ts';
import type { TriedRow } from './answer-rows.ts';
import type { ChunkResult } from './batch-store.ts';
import { rowLine, rowLookupId } from './row-line.ts';

interface AnsweredLine {
  readonly row: number;
  readonly customId: string | null;
  /** Empty unless the row has 200. */
  readonly lookupId: string;
  /** The answer without its text, which is in the line. */
  readonly outcome: Outcome<null>;
  readonly line: readonly Uint8Array[];
}

/** The answers of a chunk, as lines of its result in parts. */
export class ChunkAnswers {
  readonly #batchId: string;
  readonly #lines: AnsweredLine[] = [];
  readonly #faults: Error[] = [];

  constructor(batchId: string) {
    this.#batchId = batchId;
  }

  add(tried: TriedRow): void {
    const { row, customId, answer, fault } = tried;
    const lookupId = answer.ok ? rowLookupId(this.#batchId, row) : '';
    const line = rowLine(tried, lookupId);
    this.#lines.push({ row, customId, lookupId, line, outcome: answer.ok ? { ok: true, value: null } : answer });
    if (fault) this.#faults.push(fault);
  }

  /** Failures of the service. */
  get faults(): readonly Error[] {
    return this.#faults;
  }

  /** Ids of the rows with 200. */
  get lookupIds(): string[] {
    return this.#lines.filter(({ outcome }) => outcome.ok).map(({ lookupId }) => lookupId);
  }

  /** The result, in which the lookups `beyond` the budget are refused, and the ids of those that are billed. */
  resultWithout(beyond: ReadonlySet<string>, refusal: () => string): ChunkResult & { readonly ids: readonly string[] } {
    const ids: string[] = [];
    const parts: Uint8Array[] = [];
    let counts = noRows;
    for (const one of this.#lines) {
      const { lookupId, line } = one;
      const refused = beyond.has(lookupId)
        ? fail('RATE_LIMITED', refusal(), { reason: 'PER_MONTH' satisfies LimitReason })
        : null;
      const outcome = refused ?? one.outcome;
      if (outcome.ok) ids.push(lookupId);
      parts.push(...(refused ? refusedLine(one, refused) : line));
      counts = counted(counts, outcome);
    }
    return { text: Buffer.concat(parts), counts, ids };
  }
}

function refusedLine({ row, customId, lookupId }: AnsweredLine, answer: Failure): readonly Uint8Array[] {
  return rowLine({ row, customId, answer }, lookupId);
}
