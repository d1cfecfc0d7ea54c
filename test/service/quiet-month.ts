/**
 * What Prometheus sees of two machines with two processes each in a month in which all is well: one machine imports, the other follows. Traffic by the hour, refusals of
 * clients' mistakes, batches on working days, daily backups, one refresh, one upgrade with a restart of each process, scanners of the internet at the proxies.
 */
import type { Series } from './alert-cases.ts';

export const MONTH_MIN = 31 * 1440;

const at = (day: number, hour: number, minute = 0): number => (day - 1) * 1440 + hour * 60 + minute;

/** Minutes at which layers and addresses of the refresh are put into service where they are imported, and by the machine that follows. */
const LAYERS = at(3, 4, 30);
const ADDRESSES = at(3, 5, 10);
/** Its run of 5:05 fetches the layers for 40 minutes; that of 6:15 fetches the rest. */
const FOLLOWED = [at(3, 5, 45), at(3, 6, 40)] as const;
const UPGRADE = at(10, 14);
/** Lookups a minute and process, by the hour. */
const LOOKUPS = [3, 2, 2, 2, 3, 6, 15, 40, 80, 120, 140, 150, 130, 120, 130, 120, 100, 60, 40, 30, 20, 12, 8, 5];

const hourOf = (minute: number): number => Math.floor(minute / 60) % 24;
const lookupsAt = (minute: number): number => LOOKUPS[hourOf(minute)]!;
const isWorkday = (minute: number): boolean => Math.floor(minute / 1440) % 7 < 5;
/** 5,000 rows within 20 minutes. */
const hasBatch = (minute: number): boolean => isWorkday(minute) && minute % 1440 >= 600 && minute % 1440 < 620;

type ValueAt = (minute: number) => number | null;

/** Writes the values of a month in promtool's notation: what grows evenly is one word. */
function notation(valueAt: ValueAt, lengthMin: number): string {
  const words: string[] = [];
  const values = Array.from({ length: lengthMin + 1 }, (_, minute) => valueAt(minute));
  for (let start = 0; start < values.length;) {
    const first = values[start] ?? null;
    const step = first === null ? null : (values[start + 1] ?? NaN) - first;
    let more = 0;
    while (start + more + 1 < values.length && isNext(values[start + more + 1]!, values[start + more]!, step)) more++;
    words.push(first === null ? missing(more) : even(first, step ?? 0, more));
    start += more + 1;
  }
  return words.join(' ');
}

/** @param step null: between scrapes without the series. */
function isNext(value: number | null, before: number | null, step: number | null): boolean {
  if (step === null || value === null || before === null) return step === null && value === null;
  return Math.abs(value - before - step) < 1e-6;
}

function missing(more: number): string {
  return more === 0 ? 'stale' : `stale _x${more - 1}`;
}

function even(first: number, step: number, more: number): string {
  const [from, by] = [first, step].map((value) => Number(value.toFixed(6))) as [number, number];
  return more === 0 ? `${from}` : `${from}${by < 0 ? '' : '+'}${by}x${more}`;
}

/** The time in s since the last of some minutes; before the first, since one before the month. */
function since(minutes: readonly number[], beforeMin: number): ValueAt {
  return (minute) => 60 * (minute - (minutes.findLast((one) => one <= minute) ?? -beforeMin));
}

/** What a process tells: nothing in the scrape that its restart falls into. */
class Process {
  readonly #labels: string;
  readonly #restart: number;
  readonly #lengthMin: number;
  readonly series: Record<string, string> = {};

  constructor(instance: string, restart: number, lengthMin: number) {
    this.#labels = `instance="${instance}"`;
    this.#restart = restart;
    this.#lengthMin = lengthMin;
    this.series[`up{job="land-lookup",${this.#labels}}`] = notation(
      (minute) => (minute === restart ? 0 : 1),
      lengthMin,
    );
  }

  gauge(metric: string, valueAt: ValueAt): void {
    const [name, labels = ''] = metric.split(/[{}]/) as [string, string?];
    this.series[`${name}{${labels ? `${labels},` : ''}${this.#labels}}`] = notation(
      (minute) => (minute === this.#restart ? null : valueAt(minute)),
      this.#lengthMin,
    );
  }

  gauges(values: Readonly<Record<string, number>>): void {
    for (const [metric, value] of Object.entries(values)) this.gauge(metric, () => value);
  }

  /** @param moreAt what comes in a minute. It begins anew with a restart. */
  counter(metric: string, moreAt: (minute: number) => number): void {
    let sum = 0;
    this.gauge(metric, (minute) => (sum = minute === this.#restart + 1 ? 0 : sum + moreAt(minute)));
  }
}

/** By status and code, the share of requests. */
const OUTCOMES: Readonly<Record<string, number>> = {
  'status="200",code="OK"': 0.93,
  'status="404",code="ADDRESS_NOT_FOUND"': 0.03,
  'status="400",code="BAD_REQUEST"': 0.015,
  'status="401",code="UNAUTHORIZED"': 0.005,
  'status="429",code="RATE_LIMITED"': 0.02,
};

/** By route: requests for each lookup, and the share that is answered within a time in s. */
const ROUTES: Readonly<Record<string, { readonly each: number; readonly within: Readonly<Record<string, number>> }>> = {
  '/api/lookup': { each: 1, within: { '0.005': 0.85, '0.05': 0.994, '0.1': 0.998, '0.5': 0.9997, '2': 1, '+Inf': 1 } },
  '/api/suggest': { each: 3, within: { '0.005': 0.95, '0.1': 0.999, '2': 1, '+Inf': 1 } },
  '/api/lookup/area': { each: 0.05, within: { '0.1': 0.7, '2': 0.997, '5': 1, '+Inf': 1 } },
  '/mcp': { each: 0.1, within: { '0.1': 0.9, '2': 0.999, '+Inf': 1 } },
};

function traffic(process: Process): void {
  for (const [route, { each, within }] of Object.entries(ROUTES)) {
    for (const [outcome, share] of Object.entries(OUTCOMES))
      process.counter(
        `land_lookup_requests_total{route="${route}",${outcome}}`,
        (minute) => lookupsAt(minute) * each * share,
      );
    for (const [le, share] of Object.entries(within))
      process.counter(
        `land_lookup_request_seconds_bucket{route="${route}",le="${le}"}`,
        (minute) => lookupsAt(minute) * each * share,
      );
  }
  // A moment of overload each day, and one lost thread.
  const overload = (minute: number): number => (minute % 1440 === 690 ? 2 : minute === at(12, 9) ? 1 : 0);
  process.counter('land_lookup_requests_total{route="/api/lookup",status="503",code="DB_ERROR"}', overload);
  process.counter('land_lookup_stage_seconds_sum{stage="geocode"}', (minute) => lookupsAt(minute) * 0.0004);
  process.counter(
    'land_lookup_stage_seconds_sum{stage="layers"}',
    (minute) => lookupsAt(minute) * 0.0009 + (hasBatch(minute) ? 20 : 0),
  );
  for (const [outcome, rows] of Object.entries({ found: 237, notFound: 12, failed: 1 }))
    process.counter(`land_lookup_batch_rows_total{outcome="${outcome}"}`, (minute) => (hasBatch(minute) ? rows : 0));
  process.gauge('land_lookup_batch_jobs{state="running"}', (minute) => (hasBatch(minute) ? 1 : 0));
  process.gauge('land_lookup_batch_oldest_seconds', (minute) => (minute % 1440 === 600 && isWorkday(minute) ? 40 : 0));
  process.counter('land_lookup_batch_faults_total', (minute) => (minute === at(16, 10, 5) ? 3 : 0));
}

function resources(process: Process, restart: number): void {
  process.gauges({
    ...{
      land_lookup_ready: 1,
      land_lookup_keys_readable: 1,
      land_lookup_geocoder_answers: 1,
      land_lookup_pool_threads: 2,
    },
    ...{ land_lookup_snapshot_refused: 0, land_lookup_redis_faults: 0, land_lookup_journal_writable: 1 },
    ...{ land_lookup_clock_trusted: 1, land_lookup_billing_meter_missing: 0, land_lookup_billing_differing_days: 0 },
    ...{ 'land_lookup_limiter_mode{mode="insurance"}': 0, 'land_lookup_limiter_mode{mode="shared"}': 1 },
    ...{ 'land_lookup_billing_unsettled{state="rejected"}': 2, 'land_lookup_billing_unsettled{state="uncertain"}': 0 },
    ...{ 'land_lookup_billing_unsettled{state="too_old"}': 0, process_max_fds: 65_536 },
  });
  process.counter('land_lookup_pool_hung_threads_total', () => 0);
  process.gauge('land_lookup_journal_waiting', (minute) => (hasBatch(minute) ? 200 : 0));
  process.gauge('land_lookup_billing_lag_seconds', (minute) => (minute % 10) * 20);
  process.gauge('land_lookup_signup_oldest_paid_seconds', (minute) => (minute % 1440 === 720 ? 30 : 0));
  process.gauge('land_lookup_subscriptions_compared_seconds', (minute) => (minute % 60) * 60);
  process.counter('land_lookup_webhooks{state="delivered"}', (minute) =>
    minute % 1440 === 621 && isWorkday(minute) ? 1 : 0,
  );
  // A receiver that is away for 50 minutes.
  const away = at(15, 10, 21);
  process.gauge('land_lookup_webhooks_lag_seconds', (minute) =>
    minute >= away && minute < away + 50 ? 60 * (minute - away) : 0,
  );
  process.gauge('nodejs_eventloop_lag_p99_seconds', (minute) =>
    minute >= LAYERS && minute < LAYERS + 8 ? 0.15 : 0.012,
  );
  process.gauge('process_open_fds', (minute) => 60 + 2 * lookupsAt(minute));
  process.gauge(
    'land_lookup_write_ahead_log_bytes{file="usage.sqlite"}',
    (minute) => ((minute % 60) + (hasBatch(minute) ? 60 : 0)) * 1e6,
  );
  // Grows for some hours after a start, and by a second pool of threads with the first other snapshot.
  process.gauge('process_resident_memory_bytes', (minute) => {
    const upMin = 10 * Math.floor((minute > restart ? minute - restart : minute + 20_000) / 10);
    const second = minute >= LAYERS && minute <= restart ? 6e7 : 0;
    return Math.round(2.5e8 + 1.8e8 * (1 - Math.exp(-upMin / 90)) + second + 1e7 * (hourOf(minute) % 5));
  });
}

/** Each hour but for three runs in which the other machine could not be reached. */
const PULLS = Array.from({ length: 31 * 24 }, (_, hour) => hour * 60 + 5 + (hour % 10)).filter(
  (minute) => Math.abs(minute - at(8, 12)) > 90,
);
const DAILY = (hour: number, minutes: number): number[] =>
  Array.from({ length: 31 }, (_, day) => at(day + 1, hour, (day * 7) % 30) + minutes);

function data(process: Process, machine: 'leader' | 'follower', others: readonly string[]): void {
  const [layers, addresses] = machine === 'leader' ? [LAYERS, ADDRESSES] : FOLLOWED;
  const isOf = { old: [0, layers], layers: [layers, addresses], new: [addresses, Infinity] } as const;
  for (const [id, [from, to]] of Object.entries(isOf))
    process.gauge(`land_lookup_snapshot_info{id="${id}",sample="false"}`, (minute) =>
      minute >= from && minute < to ? 1 : null,
    );
  process.gauge('land_lookup_snapshot_age_seconds', since([layers, addresses], at(29, 4)));
  const jobs: Readonly<Record<string, readonly [begins: number[], takes: number, beforeMin: number]>> = {
    backup: [DAILY(3, 0), 4, 1430],
    ...(machine === 'leader'
      ? {
          refresh: [[at(3, 3, 40)], 50, at(29, 4)],
          address_refresh: [[LAYERS], 40, at(29, 4)],
          prune: [[ADDRESSES + 5], 1, at(29, 4)],
          reconcile: [DAILY(4, 0), 10, 1430],
          sources: [DAILY(1, 0), 20, 1430],
        }
      : { follow: [PULLS, 1, 50], prune: [PULLS, 2, 50] }),
  };
  for (const [job, [begins, takes, beforeMin]] of Object.entries(jobs)) {
    process.gauge(`land_lookup_last_begin_seconds{exported_job="${job}"}`, since(begins, beforeMin + takes));
    process.gauge(
      `land_lookup_last_success_seconds{exported_job="${job}"}`,
      since(
        begins.map((one) => one + takes),
        beforeMin,
      ),
    );
  }
  // Moved from one machine to another long ago.
  for (const job of others)
    process.gauge(`land_lookup_last_success_seconds{exported_job="${job}"}`, since([], 200 * 1440));
}

/** A proxy with two servers on each machine, before which scanners send what is no request. */
function proxies(lengthMin: number): Series {
  const process = new Process('a:8404', -1, lengthMin);
  const all = (minute: number): number => 4 * lookupsAt(minute) * 4;
  const refused = (minute: number): number => (minute === UPGRADE + 2 ? 3 : 0);
  process.counter('haproxy_frontend_http_requests_total{proxy="land_lookup"}', (minute) => all(minute) + 2);
  process.counter(
    'haproxy_frontend_http_responses_total{proxy="land_lookup",code="4xx"}',
    (minute) => 0.07 * all(minute) + 2,
  );
  process.counter('haproxy_frontend_http_responses_total{proxy="land_lookup",code="5xx"}', (minute) =>
    minute % 1440 === 690 ? 8 : refused(minute),
  );
  for (const [code, moreAt] of [
    ['4xx', (minute: number) => 0.07 * all(minute)],
    ['5xx', (minute: number) => (minute % 1440 === 690 ? 8 : 0)],
  ] as const)
    process.counter(`haproxy_server_http_responses_total{proxy="land_lookup",server="a",code="${code}"}`, moreAt);
  process.counter('nginx_refused_requests_total{status="429"}', (minute) => (minute % 10 === 0 ? 1 : 0));
  process.counter('nginx_refused_requests_total{status="503"}', refused);
  return process.series;
}

/** @param lengthMin a shorter time has the same series. */
export function quietMonth(lengthMin = MONTH_MIN): Series {
  const processes = (['leader', 'follower'] as const).flatMap((machine, m) =>
    ['8081', '8082'].map((port, p) => {
      const restart = UPGRADE + 4 * m + 2 * p;
      const process = new Process(`${machine}:1${port}`, restart, lengthMin);
      traffic(process);
      resources(process, restart);
      data(process, machine, machine === 'leader' ? [] : ['refresh', 'address_refresh', 'reconcile']);
      return process.series;
    }),
  );
  return Object.assign({}, ...processes, proxies(lengthMin)) as Series;
}
