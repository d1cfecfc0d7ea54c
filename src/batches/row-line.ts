import { hash } from 'node:crypto';
import { problems, publicMembers } from '../shared/problems.ts';
import type { TriedRow } from './answer-rows.ts';

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
export function rowLine({ row, customId, answer }: Omit<TriedRow, 'fault'>, lookupId: string): readonly Uint8Array[] {
  const head = `{"row":${row},"custom_id":${JSON.stringify(customId)}`;
  if (answer.ok) {
    return [Buffer.from(`${head},"status":200,"code":null,"lookupId":"${lookupId}","body":`), answer.value, END];
  }
  const { status } = problems[answer.code];
  const line = `${head},"status":${status},"code":"${answer.code}","lookupId":null,"body":${JSON.stringify(publicMembers(answer))}`;
  return [Buffer.from(line), END];
}
