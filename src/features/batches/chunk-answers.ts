import { counted, noRows } from './rows/outcomes.ts';
import { fail, type Failure, type Outcome } from '../../messages/outcome.ts';
import type { LimitReason } from '../../messages/reasons.ts';
import type { TriedRow } from './answer-rows.ts';
import type { ChunkResult } from './job.ts';
import { hash } from 'node:crypto';
import { problems, publicMembers } from '../../messages/problems.ts';
import { rowOfLine } from './results.ts';

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

  /** Takes the answers that are stored (`ChunkResult.text`) as they are. */
  static stored(batchId: string, text: string): ChunkAnswers {
    const answers = new ChunkAnswers(batchId);
    for (const stored of text.trimEnd().split('\n')) {
      const { row, customId, lookupId, answer } = rowOfLine(stored);
      const outcome: Outcome<null> = answer.ok ? { ok: true, value: null } : answer;
      answers.#lines.push({ row, customId, lookupId: lookupId ?? '', outcome, line: [Buffer.from(`${stored}\n`)] });
    }
    return answers;
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

/** Digits of the time in a batch's id, behind `bat_`. */
const TIME_DIGITS = 12;
const HASH_DIGITS = 20;

/**
 * Returns the id of the lookup that a row is: `lkp_`, the batch's time as in its id, and 20 digits of the SHA-256 of batch and row. A row that is
 * answered twice has the same id both times, so that it is billed once.
 */
export function rowLookupId(batchId: string, row: number): string {
  const time = batchId.slice('bat_'.length, 'bat_'.length + TIME_DIGITS);
  return `lkp_${time}${hash('sha256', `${batchId}:${row}`).slice(0, HASH_DIGITS)}`;
}

const END = Buffer.from('}\n');

/** Returns the parts of a row's line in the results: NDJSON in UTF-8, with its line end. `lookupId` is that of a row with 200. */
function rowLine({ row, customId, answer }: Omit<TriedRow, 'fault'>, lookupId: string): readonly Uint8Array[] {
  const head = `{"row":${row},"custom_id":${JSON.stringify(customId)}`;
  if (answer.ok) {
    return [Buffer.from(`${head},"status":200,"code":null,"lookupId":"${lookupId}","body":`), answer.value, END];
  }
  const { status } = problems[answer.code];
  const line = `${head},"status":${status},"code":"${answer.code}","lookupId":null,"body":${JSON.stringify(publicMembers(answer))}`;
  return [Buffer.from(line), END];
}
