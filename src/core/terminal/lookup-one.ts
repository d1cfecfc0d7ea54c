import { readCatalogue } from '../../catalogue/read/read-definitions.ts';
import { parseCoordinate, type Coordinate, type LookupTask } from '../../messages/lookup.ts';
import { attributionsOf, describeLicences, withAttribution } from '../layers/describe-licences.ts';
import { furtherKeysOf, furtherOf } from '../lookup/further-keys.ts';
import type { Config } from '../settings/config.ts';
import { requireServableSnapshot } from '../snapshots/current.ts';
import type { Geocoding, OpenGeocoding } from '../lookup/geocoding.ts';
import type { Lookups } from '../pool/gate.ts';
import { kindOf, LookupPool } from '../pool/lookup-pool.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { AppError } from '../../messages/problems.ts';

export interface LookupOneOptions {
  /** LAT,LON as given; undefined: an address is asked for. */
  readonly at?: string;
  readonly detail: 'plain' | 'full';
  /** Further answers, as given; undefined: none. */
  readonly layers?: string;
}

/** `land-lookup lookup` for one place: prints the answer as a line of JSON. @throws Error unless there is one place. */
export async function lookupOne(
  read: { readonly config: () => Config; readonly geocoding: () => Promise<OpenGeocoding> },
  address: string | undefined,
  { at, detail, layers }: LookupOneOptions,
): Promise<void> {
  if ((address === undefined) === (at === undefined)) throw new Error('give exactly one of: an address, --at LAT,LON');
  const place =
    at === undefined
      ? ({ kind: 'address', address: address ?? '' } as const)
      : ({ kind: 'point', ...pointOf(at) } as const);
  const config = read.config();
  const { dir: snapshotDir, manifest } = requireServableSnapshot(config.dataDir);
  const catalogue = readCatalogue(config);
  await using lookups = await CommandLookups.start({
    config,
    openGeocoding: await read.geocoding(),
    catalogue,
    snapshotDir,
    threads: 1,
  });
  const further = furtherOf(layers, furtherKeysOf(catalogue));
  const answer = await lookups.answer({ ...place, full: detail === 'full', ...further });
  const { ok } = answer;
  const json = ok ? answer.value : JSON.stringify({ code: answer.code, detail: answer.detail, ...answer.extras });
  process.stdout.write(`${withAttribution(json, attributionsOf(describeLicences(catalogue, manifest)))}\n`);
  if (!ok) process.exitCode = 1;
}

function pointOf(at: string): Coordinate {
  const [lat = '', lon = '', ...rest] = at.split(',');
  const point = rest.length > 0 ? null : parseCoordinate(lat, lon);
  if (!point) throw new Error(`"${at}" is not LAT,LON in decimal degrees`);
  return point;
}

/** Nobody waits for one lookup of a command, so a slow answer is better than none. */
const DEADLINE_MS = 600_000;

const OPERATOR = { keyId: 'operator', isGone: () => false };

/** Lookups of a command, without a server. */
export class CommandLookups implements AsyncDisposable {
  readonly #pool: LookupPool;
  readonly #geocoding: Geocoding;

  private constructor(pool: LookupPool, geocoding: Geocoding) {
    this.#pool = pool;
    this.#geocoding = geocoding;
  }

  /** @throws AppError DB_ERROR when the snapshot cannot be read. */
  static async start({
    config,
    openGeocoding,
    ...options
  }: {
    readonly config: Config;
    readonly openGeocoding: OpenGeocoding;
    readonly catalogue: Catalogue;
    readonly snapshotDir: string;
    readonly threads: number;
  }): Promise<CommandLookups> {
    const pool = await LookupPool.start({ ...options, deadlineMs: DEADLINE_MS, isCommand: true });
    const lookups: Lookups = { lookup: (task, { kind }) => pool.lookup(task, kind) };
    return new CommandLookups(pool, openGeocoding(lookups, config));
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
