import { AppError } from '../../shared/problems.ts';

/** Asks Redis. @throws AppError DB_ERROR with `Retry-After` when it does not answer or has no room. */
export async function onRedis<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof AppError || cause instanceof TypeError || cause instanceof RangeError) throw cause;
    const detail = `batches cannot be stored: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new AppError('DB_ERROR', detail, { cause, headers: { 'Retry-After': '10' } });
  }
}
