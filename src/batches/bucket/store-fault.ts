import { AppError, unavailable } from '../../shared/problems.ts';
import { messageOf } from '../../shared/words.ts';

/** Asks Redis. @throws AppError DB_ERROR with `Retry-After` when it does not answer or has no room. */
export async function onRedis<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof AppError || cause instanceof TypeError || cause instanceof RangeError) throw cause;
    const message = messageOf(cause);
    // Redis says so when its memory is full.
    const reason = message.startsWith('OOM ') ? 'STORAGE_FULL' : 'STORAGE_UNREACHABLE';
    throw unavailable(reason, `batches cannot be stored: ${message}`, { cause });
  }
}
