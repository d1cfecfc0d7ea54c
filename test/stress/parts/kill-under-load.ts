/**
 * Kills a serving process again and again while clients ask it, a faulty payment processor takes its events and the wall clock jumps. Half-way
 * the disk is lost: a backup that was made under load takes its place.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { makeBackup } from '../../../src/features/backup/make-backup.ts';
import { Journal } from '../../../src/core/usage/journal.ts';
import type { UsageState } from '../../../src/messages/journal.ts';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { cliOrThrow } from '../../support/drivers/cli.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { ServiceProcess } from '../../support/drivers/service-process.ts';
import { StripeServer, type AcceptedEvent, type Fault } from '../../support/doubles/stripe-server.ts';
import { JumpingClock } from './jumping-clock.ts';

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** Clients that take what they get, each with a customer of its own. */
  readonly plainClients: number;
  /** Clients that repeat a request with its `Idempotency-Key` until it is answered. */
  readonly retryingClients: number;
  readonly onKill?: (kill: number) => void;
}

export interface KillReport {
  readonly requests: number;
  /** Lookup ids of the 200s that clients without an `Idempotency-Key` received. */
  readonly received: readonly string[];
  /** Requests with an `Idempotency-Key` that got their 200. */
  readonly retriedToTheEnd: number;
  /** States by the ids in the usage journal: what was computed. */
  readonly journalled: ReadonlyMap<string, UsageState>;
  /** Ids that were computed after the backup and before the disk was lost. */
  readonly lost: ReadonlySet<string>;
  readonly accepted: readonly AcceptedEvent[];
  readonly duplicates: number;
  /** Answers by status; 0 for none. */
  readonly statuses: Readonly<Record<number, number>>;
}

const PLAIN = 'cus_plain_';
const RETRYING = 'cus_retrying_';
const DELIVERY_S = 180;

export async function killUnderLoad(options: KillOptions): Promise<KillReport> {
  using folder = ownSampleFolder();
  const to = join(folder.path, 'backups');
  const dataDir = folder.path;
  await using processor = await StripeServer.start();
  const random = seededRandom(options.seed);
  processor.fault = () => faultOf(random());
  await using clock = new JumpingClock(join(dataDir, 'clock'));
  const start = (): Promise<ServiceProcess> => ServiceProcess.start(dataDir, { ...processor.env, ...clock.env });
  let service: ServiceProcess | null = await start();
  clock.begin(random);
  const clients = new Clients(() => service);
  const plain = await issueKeys({ dataDir }, { count: options.plainClients, customer: PLAIN });
  const retrying = await issueKeys({ dataDir }, { count: options.retryingClients, customer: RETRYING });
  const working = [...plain.map((key) => clients.ask(key)), ...retrying.map((key) => clients.askUntilAnswered(key))];
  for (let kill = 1; kill <= options.kills; kill++) {
    await sleep(100 + random() * 1500);
    const isRestored = kill === Math.ceil(options.kills / 2);
    const backup = isRestored
      ? await makeBackup({ dataDir, redisUrl: null, minFreeDiskBytes: 0 }, { to, settings: null, keep: 1 })
      : null;
    const dying = service;
    service = null;
    await dying.kill();
    if (backup !== null) cliOrThrow(dataDir, 'restore', '--from', backup);
    options.onKill?.(kill);
    service = await start();
  }
  await clock[Symbol.asyncDispose]();
  clients.stop();
  await Promise.all(working);
  // The processor is well again: what is left must arrive.
  processor.fault = () => 'none';
  const journalled = await deliverAll(dataDir);
  await service.stop();
  const aside = readdirSync(dataDir).find((name) => name.startsWith('before-restore-'))!;
  const lost = new Set([...statesIn(join(dataDir, aside)).keys()].filter((id) => !journalled.has(id)));
  const { requests, received, retriedToTheEnd, statuses } = clients;
  const { accepted, duplicates } = processor;
  return { requests, received, retriedToTheEnd, statuses, journalled, lost, accepted, duplicates };
}

/**
 * What is wrong with a report; nothing is right. Each 200 has one event, or stands as uncertain, or was lost with the disk, and
 * none has two.
 */
export function faultsOf({
  requests,
  received,
  retriedToTheEnd,
  journalled,
  lost,
  accepted,
  statuses,
}: KillReport): string[] {
  const events = new Map<string, number>();
  for (const { identifier } of accepted) events.set(identifier, (events.get(identifier) ?? 0) + 1);
  const isOpen = (id: string): boolean => journalled.get(id) === 'uncertain' || lost.has(id);
  const open = [...journalled.keys(), ...lost].filter((id) => isOpen(id) && !events.has(id)).length;
  const ofRetrying = accepted.filter(({ customer }) => customer.startsWith(RETRYING)).length;
  return [
    ...[...events].filter(([, times]) => times > 1).map(([id, times]) => `${id} has ${times} events`),
    ...[...events.keys()]
      .filter((id) => !journalled.has(id) && !lost.has(id))
      .map((id) => `${id} has an event and was not computed`),
    ...[...received, ...journalled.keys()]
      .filter((id) => !events.has(id) && !isOpen(id))
      .map((id) => `${id} was computed or received, has no event and is not uncertain`),
    ...(accepted.length > requests ? [`${accepted.length} events of ${requests} requests`] : []),
    ...(Math.abs(ofRetrying - retriedToTheEnd) <= open
      ? []
      : [`${ofRetrying} events of ${retriedToTheEnd} requests with a key`]),
    ...(500 in statuses ? [`${statuses[500]} answers with 500`] : []),
  ];
}

class Clients {
  readonly #service: () => ServiceProcess | null;
  readonly received: string[] = [];
  readonly statuses: Record<number, number> = {};
  requests = 0;
  retriedToTheEnd = 0;
  #isStopped = false;

  constructor(service: () => ServiceProcess | null) {
    this.#service = service;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async ask(key: string): Promise<void> {
    while (!this.#isStopped) {
      const id = (await this.#request(key))?.headers.get('lookup-id');
      if (id) this.received.push(id);
      else await sleep(20);
    }
  }

  async askUntilAnswered(key: string): Promise<void> {
    while (!this.#isStopped) {
      const idempotencyKey = randomUUID();
      while (!(await this.#request(key, { 'Idempotency-Key': idempotencyKey }))) await sleep(100);
      this.retriedToTheEnd++;
    }
  }

  /** A 200 that arrived whole; null for anything else. */
  async #request(key: string, headers: Readonly<Record<string, string>> = {}): Promise<Response | null> {
    const service = this.#service();
    if (!service) return null;
    this.requests++;
    let status = 0;
    try {
      const response = await service.lookup(key, SAMPLE_ADDRESS, { headers });
      await response.arrayBuffer();
      status = response.status;
      return status === 200 ? response : null;
    } catch {
      return null;
    } finally {
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    }
  }
}

/** Half of the calls go well. */
function faultOf(random: number): Fault {
  if (random < 0.5) return 'none';
  if (random > 0.998) return 'silent';
  const faults = ['500', '500 after', '429', '409', 'lost answer', 'cut before'] as const satisfies Fault[];
  return faults[Math.floor((random - 0.5) * 2 * faults.length)]!;
}

/** Waits until the journal has nothing pending. Gives the states in it. @throws Error when that takes too long. */
async function deliverAll(dataDir: string): Promise<ReadonlyMap<string, UsageState>> {
  await using journal = await Journal.open({ dataDir });
  for (let seconds = 0; ; seconds++) {
    const { pending } = await journal.do('backlog', null);
    if (pending === 0) break;
    if (seconds > DELIVERY_S) throw new Error(`${pending} events are still pending`);
    await sleep(1000);
  }
  return statesIn(dataDir);
}

function statesIn(dataDir: string): ReadonlyMap<string, UsageState> {
  const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
  try {
    return new Map(db.prepare<[], [string, UsageState]>('SELECT id, state FROM usage').raw().all());
  } finally {
    db.close();
  }
}
