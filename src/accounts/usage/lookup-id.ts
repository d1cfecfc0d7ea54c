import { randomBytes } from 'node:crypto';

/** `lkp_`, the time in milliseconds as 12 hexadecimal digits, and 20 random ones: ids in the order of time keep an index compact. */
export function createLookupId(nowMs: number): string {
  return `lkp_${nowMs.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;
}
