import { randomUUID } from 'node:crypto';

/** `lkp_`, the time in milliseconds as 12 hexadecimal digits, and 20 random ones: ids in the order of time keep an index compact. */
export function createLookupId(nowMs: number): string {
  // Drawn from Node's pool, a tenth of what `randomBytes` costs; these of a UUID's digits are all random.
  const random = randomUUID();
  return `lkp_${nowMs.toString(16).padStart(12, '0')}${random.slice(0, 8)}${random.slice(24)}`;
}
