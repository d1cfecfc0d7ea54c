import type { Config } from '../settings/config.ts';
import { Geocoding } from '../geocoders/geocoding.ts';
import type { Lookups } from '../pool/gate.ts';
import { kindOf, LookupPool } from '../pool/lookup-pool.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { LookupTask } from '../../messages/lookup.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { AppError } from '../../messages/problems.ts';

interface CommandLookupsOptions {
  readonly geocoding: Config['geocoding'];
  readonly catalogue: Catalogue;
  readonly snapshotDir: string;
  readonly threads: number;
}

/** Nobody waits for one lookup of a command, so a slow answer is better than none. */
const DEADLINE_MS = 600_000;

const OPERATOR = { keyId: 'operator', isGone: () => false };

/** Lookups of a command, without a server. */
export class CommandLookups implements AsyncDisposable {
  readonly #pool: LookupPool;
  readonly #geocoding: Geocoding;

  private constructor(pool: LookupPool, geocoding: Config['geocoding']) {
    this.#pool = pool;
    const lookups: Lookups = { lookup: (task, { kind }) => pool.lookup(task, kind) };
    this.#geocoding = new Geocoding(lookups, geocoding);
  }

  /** @throws AppError DB_ERROR when the snapshot cannot be read. */
  static async start({ geocoding, ...options }: CommandLookupsOptions): Promise<CommandLookups> {
    const pool = await LookupPool.start({ ...options, deadlineMs: DEADLINE_MS, isCommand: true });
    return new CommandLookups(pool, geocoding);
  }

  /** Returns the body of the answer, or why there is none. */
  async answer(task: LookupTask): Promise<Outcome<string>> {
    try {
      return { ok: true, value: (await this.#geocoding.lookup(task, { ...OPERATOR, kind: kindOf(task) })).json };
    } catch (cause) {
      const { code, message, extras } = AppError.from(cause);
      return { ok: false, code, detail: message, extras };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#geocoding[Symbol.dispose]();
    await this.#pool[Symbol.asyncDispose]();
  }
}
