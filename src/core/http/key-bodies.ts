import { setImmediate as nextTurn } from 'node:timers/promises';
import { rateLimited, unavailable } from '../../messages/problems.ts';

/** The largest bodies of 32 areas for a key. A service behind a proxy gets bodies when they are complete. */
const BOUNDS = {
  /** Bytes of all bodies. Beyond it, keys that have their share are refused; beyond twice as many, all are. */
  mostBytes: 64 << 20,
  mostBytesOfKey: 16 << 20,
};

/** Shared instances, as in `Gate`. */
const tooMuchOfKey = rateLimited('AT_ONCE', 'this key has too many bytes of bodies under way at once', {
  retryAfterS: 1,
});
const tooMuch = unavailable('OVERLOADED', 'too many bytes of bodies are under way');

/** The bodies of requests with a key that are being read, from their first byte until they are parsed. */
export class KeyBodies {
  readonly #bounds: typeof BOUNDS;
  readonly #byKey = new Map<string, number>();
  #bytes = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(bounds = BOUNDS) {
    this.#bounds = bounds;
  }

  /** Bytes that are under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts bytes of a body before they are held, all at once or bit by bit. @throws AppError RATE_LIMITED or DB_ERROR when they are too many. */
  hold(keyId: string, bytes: number): void {
    const { mostBytes, mostBytesOfKey } = this.#bounds;
    const ofKey = (this.#byKey.get(keyId) ?? 0) + bytes;
    const ofAll = this.#bytes + bytes;
    if (ofKey > mostBytesOfKey) throw tooMuchOfKey;
    if (ofAll > mostBytes) {
      const share = mostBytes / Math.max(1, this.#byKey.size);
      if (ofKey > share || ofAll > 2 * mostBytes) throw tooMuch;
    }
    this.#bytes = ofAll;
    this.#byKey.set(keyId, ofKey);
  }

  /** Takes back what was counted of a body. */
  release(keyId: string, bytes: number): void {
    this.#bytes -= bytes;
    const ofKey = (this.#byKey.get(keyId) ?? 0) - bytes;
    if (ofKey > 0) this.#byKey.set(keyId, ofKey);
    else this.#byKey.delete(keyId);
  }

  /** Parses large bodies one after the other, each in a turn of the event loop of its own, so that others come in between. */
  inTurn<T>(parse: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => nextTurn()).then(parse);
    // Not the body itself, which would be held until the next one.
    const ended = (): void => undefined;
    this.#lastTurn = turn.then(ended, ended);
    return turn;
  }
}
