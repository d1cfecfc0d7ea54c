import { AppError, unavailable, type ProblemCode } from './problems.ts';
import type { UnavailableReason } from './reasons.ts';

/** Result of a worker. Errors are data, because structured clone strips an Error's class and fields. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Failure;

export interface Failure {
  readonly ok: false;
  readonly code: ProblemCode;
  readonly detail: string;
  /** Extra members of the problem document, for example `reason` and `suggestions`. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

export function fail(code: ProblemCode, detail: string, extras?: Failure['extras']): Failure {
  return extras ? { ok: false, code, detail, extras } : { ok: false, code, detail };
}

/** A failure for which the service cannot answer at the moment. */
export function failFor(reason: UnavailableReason, detail: string): Failure {
  return fail('DB_ERROR', detail, { reason });
}

/** Returns the value of a successful outcome; throws a failure as its `AppError`. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw errorOf(outcome);
}

export function errorOf({ code, detail, extras }: Failure): AppError {
  if (code === 'DB_ERROR') return unavailable((extras?.['reason'] ?? 'DATA_UNREADABLE') as UnavailableReason, detail);
  return new AppError(code, detail, extras ? { extras } : {});
}
