import { randomUUID } from 'node:crypto';

/**
 * Makes an id: `lkp_`, the time in milliseconds as 12 hexadecimal digits, and 20 random digits. Ids in the order of
 * time keep an index compact.
 */
export function createLookupId(nowMs: number): string {
  // Node's pool of UUIDs costs a tenth of `randomBytes`. The digits of the UUID that are used here are all random.
  const random = randomUUID();
  return `lkp_${nowMs.toString(16).padStart(12, '0')}${random.slice(0, 8)}${random.slice(24)}`;
}
