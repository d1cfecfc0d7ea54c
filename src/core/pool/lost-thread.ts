import { AppError, unavailable } from '../../messages/problems.ts';

/** The thread of a lookup ended, also when the lookup was asked for again by itself. */
export class LostThread extends AppError {
  constructor(cause: unknown) {
    const { code, message, extras, headers } = unavailable('INTERRUPTED', 'the lookup thread was lost');
    super(code, message, { cause, extras, headers });
  }
}

/** A lookup kept its thread for so long that the thread was replaced. Asked for again, it would keep the next one too. */
export class HungThread extends AppError {
  /** Place of the lookup in its message. */
  readonly index: number;

  constructor(index: number) {
    super('UNANSWERABLE', 'the lookup hung in its thread');
    this.index = index;
  }
}
