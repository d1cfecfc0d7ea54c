import { DAY_S, type Limited } from '../../../core/limits/limit-words.ts';
import type { Quotas } from '../../../core/limits/quota.ts';

/** Of uploads that became no batch, per day: four of the largest. */
export const UPLOADED_MB_PER_DAY = 1024;

export const uploadLimit: Limited = {
  name: 'refused-uploads',
  may: (limit) => `send ${limit} MiB that become no batch`,
  holder: 'client',
  reason: 'REFUSED_REQUESTS',
  windowS: DAY_S,
};

/**
 * @param sender a customer, or a key without one.
 * @throws AppError RATE_LIMITED when no more uploads of the sender are read.
 */
export async function checkUpload(quotas: Quotas, sender: string): Promise<void> {
  const quota = quotas.of(uploadLimit);
  const state = await quota.peek(sender, UPLOADED_MB_PER_DAY);
  if (state.remaining === 0) throw quota.refusal(state);
}

/** Counts the bytes of an upload that became no batch: it is not billed, but reading it took time (docs/decisions/0259). Never fails. */
export async function noteUpload(quotas: Quotas, sender: string, bytes: number): Promise<void> {
  const quota = quotas.of(uploadLimit);
  const { remaining } = await quota.peek(sender, UPLOADED_MB_PER_DAY);
  const megabytes = Math.min(Math.ceil(bytes / (1 << 20)), remaining);
  // Another upload may have used up what was left.
  if (megabytes > 0) await quota.spend(sender, UPLOADED_MB_PER_DAY, megabytes).catch(() => undefined);
}
