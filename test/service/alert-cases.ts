/**
 * For each alert of deploy/monitoring/alerts.yml the series of a fault that raises it, and series just below, which raise nothing. Values are for each minute, in the
 * notation of `promtool test rules`: `1+2x3` is 1 3 5 7, `5x2` is 5 5 5, `_` is a scrape without the series, `stale` its end.
 */
export interface AlertCase {
  /** After this time it is firing. */
  readonly minutes: number;
  readonly raised: Series;
  readonly spared: Series;
}

/** Values by metric and labels. */
export type Series = Readonly<Record<string, string>>;

/** Minutes that each series has at least. */
const LENGTH = 900;
const DAY_S = 86_400;

const flat = (value: number): string => `${value}x${LENGTH}`;
/** @param step of a minute. */
const grows = (step: number, from = 0): string => `${from}+${step}x${LENGTH}`;
const then = (minutes: number, value: number, rest: string): string => `${value}x${minutes - 1} ${rest}`;

/** An alert of a figure that is too high or too low on one machine for some minutes; other machines are well. */
function figure(metric: string, minutes: number, [bad, good]: readonly [bad: number, good: number]): AlertCase {
  const [name, labels = ''] = metric.split(/[{}]/) as [string, string?];
  const on = (machine: string): string => `${name}{${[labels, `instance="${machine}"`].filter(Boolean).join(',')}}`;
  return {
    minutes,
    raised: { [on('a')]: flat(bad), [on('b')]: flat(good) },
    spared: { [on('a')]: flat(good), [on('b')]: flat(good) },
  };
}

/** Lookups that end with 200 or 503, each minute. */
const answers = (good: number, bad: number): Series => ({
  'land_lookup_requests_total{route="/api/lookup",status="200",code="OK"}': grows(good),
  'land_lookup_requests_total{route="/api/lookup",status="503",code="DB_ERROR"}': grows(bad),
  // Not counted: health checks of proxies.
  'land_lookup_requests_total{route="/readyz",status="503",code="503"}': grows(60),
});

/** Requests each minute: all, those that the proxy refuses itself, and those that servers answer with such a status. */
const haproxy = (code: string, all: number, own: number, ofServers: number): Series => ({
  'haproxy_frontend_http_requests_total{proxy="land_lookup"}': grows(all),
  [`haproxy_frontend_http_responses_total{proxy="land_lookup",code="${code}"}`]: grows(own + ofServers),
  [`haproxy_server_http_responses_total{proxy="land_lookup",server="a",code="${code}"}`]: grows(ofServers),
  [`haproxy_server_http_responses_total{proxy="land_lookup_files",server="a",code="${code}"}`]: grows(0),
});

/** 100 requests each minute, of which some take longer than a bound in s. */
const times = (route: string, boundS: string, slow: number): Series => {
  const bucket = (le: string): string => `land_lookup_request_seconds_bucket{route="${route}",le="${le}"}`;
  return { [bucket(boundS)]: grows(100 - slow), [bucket('5')]: grows(100), [bucket('+Inf')]: grows(100) };
};

const snapshots = (ofFollower: string, own: string): Series => ({
  'land_lookup_snapshot_info{id="new",sample="false",instance="a"}': flat(1),
  'land_lookup_snapshot_info{id="old",sample="false",instance="b"}': ofFollower,
  'land_lookup_snapshot_info{id="new",sample="false",instance="b"}': own,
});

const job = (kind: 'success' | 'begin', name: string, instance = 'a'): string =>
  `land_lookup_last_${kind}_seconds{exported_job="${name}",instance="${instance}"}`;

/** A job that has not succeeded for longer than a limit in s, on one machine. */
const jobTooOld = (name: string, limitS: number, minutes: number): AlertCase => ({
  minutes: minutes + 15,
  raised: { [job('success', name)]: grows(60, limitS - 300), [job('begin', name)]: flat(60) },
  spared: { [job('success', name)]: flat(limitS), [job('begin', name)]: flat(60) },
});

const refreshTooOld = jobTooOld('refresh', 45 * DAY_S, 60);
const addressesTooOld = jobTooOld('address_refresh', 45 * DAY_S, 60);

/** Of lookups that nobody bills. They stay until somebody acts, so the alert is for new ones. */
const unsettled = (state: string): AlertCase => {
  const series = `land_lookup_billing_unsettled{state="${state}"}`;
  return { minutes: 20, raised: { [series]: then(10, 3, flat(4)) }, spared: { [series]: flat(4) } };
};

export const alertCases: Readonly<Record<string, AlertCase>> = {
  LandLookupDown: {
    minutes: 6,
    raised: { 'up{job="land-lookup",instance="a"}': then(3, 1, flat(0)) },
    // One scrape falls into a restart, and another program is down.
    spared: { 'up{job="land-lookup",instance="a"}': `1 1 0 ${flat(1)}`, 'up{job="other",instance="a"}': flat(0) },
  },
  LandLookupNotReady: figure('land_lookup_ready', 3, [0, 1]),
  LandLookupKeysUnreadable: figure('land_lookup_keys_readable', 4, [0, 1]),
  LandLookupGeocoder: figure('land_lookup_geocoder_answers', 7, [0, 1]),
  LandLookupErrors: { minutes: 15, raised: answers(100, 2), spared: { ...answers(1000, 9) } },
  LandLookupProxyRefuses: {
    minutes: 15,
    raised: haproxy('5xx', 300, 6, 20),
    // What processes answer is LandLookupErrors. A request each now and then is none of an overload.
    spared: { ...haproxy('5xx', 60, 1, 20), 'nginx_refused_requests_total{status="503"}': grows(1) },
  },
  LandLookupProxyLimits: {
    minutes: 35,
    raised: haproxy('4xx', 200, 20, 50),
    // Scanners of the internet, which send what is no HTTP, at a service with few customers.
    spared: { ...haproxy('4xx', 10, 4, 3), 'nginx_refused_requests_total{status="429"}': grows(6) },
  },
  LandLookupSlow: { minutes: 18, raised: times('/api/lookup', '0.1', 2), spared: times('/api/lookup', '0.1', 0) },
  LandLookupSlowOthers: { minutes: 18, raised: times('/mcp', '2', 2), spared: times('/mcp', '2', 0) },
  LandLookupBusy: {
    minutes: 23,
    raised: {
      'land_lookup_stage_seconds_sum{stage="geocode",instance="a"}': grows(45),
      'land_lookup_stage_seconds_sum{stage="layers",instance="a"}': grows(45),
      'land_lookup_pool_threads{instance="a"}': flat(2),
    },
    spared: {
      'land_lookup_stage_seconds_sum{stage="geocode",instance="a"}': grows(40),
      'land_lookup_stage_seconds_sum{stage="layers",instance="a"}': grows(40),
      // The wait for a thread is no work.
      'land_lookup_stage_seconds_sum{stage="queue",instance="a"}': grows(300),
      'land_lookup_pool_threads{instance="a"}': flat(2),
    },
  },
  LandLookupThreadHung: {
    minutes: 10,
    raised: { 'land_lookup_pool_hung_threads_total{instance="a"}': then(5, 0, flat(1)) },
    spared: { 'land_lookup_pool_hung_threads_total{instance="a"}': flat(1) },
  },
  LandLookupSnapshotRefused: figure('land_lookup_snapshot_refused', 3, [1, 0]),
  LandLookupSnapshotsDiffer: {
    minutes: 190,
    raised: snapshots(flat(1), `_x${LENGTH}`),
    // Two hourly runs, and the time that they take.
    spared: snapshots(`1x160 stale`, `_x160 ${flat(1)}`),
  },
  LandLookupFollowOld: jobTooOld('follow', 6 * 3600, 10),
  LandLookupSampleData: {
    minutes: 3,
    raised: { 'land_lookup_snapshot_info{id="s",sample="true"}': flat(1) },
    spared: { 'land_lookup_snapshot_info{id="s",sample="false"}': flat(1) },
  },
  LandLookupDataOld: figure('land_lookup_snapshot_age_seconds', 65, [46 * DAY_S, 44 * DAY_S]),
  LandLookupDataSetNotRefreshed: {
    minutes: 65,
    raised: { 'land_lookup_refresh_failed_seconds{data_set="greenbelt"}': grows(60, 60) },
    // The next refresh took it.
    spared: { 'land_lookup_refresh_failed_seconds{data_set="greenbelt"}': '60+60x50 stale' },
  },
  LandLookupSourceDrift: {
    minutes: 20,
    raised: { 'land_lookup_source_drift{data_set="greenbelt",finding="gone",instance="a"}': flat(1) },
    // The next check found it again; one machine asks for all.
    spared: {
      'land_lookup_source_drift{data_set="greenbelt",finding="gone",instance="a"}': '1x10 stale',
      [job('success', 'sources')]: flat(3 * DAY_S),
      [job('success', 'sources', 'b')]: flat(100 * DAY_S),
    },
  },
  LandLookupRefreshOld: {
    ...refreshTooOld,
    spared: {
      ...refreshTooOld.spared,
      // Imported by itself before it began to follow.
      [job('success', 'refresh', 'b')]: flat(100 * DAY_S),
      [job('success', 'follow', 'b')]: flat(3600),
    },
  },
  LandLookupAddressesNotRefreshed: {
    ...addressesTooOld,
    spared: {
      ...addressesTooOld.spared,
      // By hand, once a year.
      [job('success', 'address_refresh', 'b')]: flat(200 * DAY_S),
      [job('begin', 'address_refresh', 'b')]: flat(200 * DAY_S),
    },
  },
  LandLookupPruneOld: jobTooOld('prune', 45 * DAY_S, 60),
  LandLookupBackupOld: jobTooOld('backup', 36 * 3600, 10),
  LandLookupLimiterAlone: figure('land_lookup_limiter_mode{mode="insurance"}', 4, [1, 0]),
  LandLookupRedisSettings: figure('land_lookup_redis_faults', 3, [1, 0]),
  LandLookupJournalUnwritable: figure('land_lookup_journal_writable', 3, [0, 1]),
  LandLookupJournalBehind: figure('land_lookup_journal_waiting', 3, [1001, 1000]),
  LandLookupBillingBehind: figure('land_lookup_billing_lag_seconds', 13, [3601, 3600]),
  LandLookupBillingMeter: figure('land_lookup_billing_meter_missing', 3, [1, 0]),
  LandLookupBillingRejected: unsettled('rejected'),
  LandLookupBillingUncertain: unsettled('uncertain'),
  LandLookupBillingTooOld: unsettled('too_old'),
  LandLookupBillingDiffers: figure('land_lookup_billing_differing_days', 3, [1, 0]),
  LandLookupReconcileOld: {
    ...jobTooOld('reconcile', 2 * DAY_S, 60),
    // One machine does it for all.
    spared: { [job('success', 'reconcile')]: flat(2 * DAY_S), [job('success', 'reconcile', 'b')]: flat(100 * DAY_S) },
  },
  LandLookupSignupsStuck: figure('land_lookup_signup_oldest_paid_seconds', 13, [25 * 3600 + 1, 25 * 3600]),
  LandLookupSubscriptionsNotCompared: {
    minutes: 13,
    raised: { 'land_lookup_subscriptions_compared_seconds{instance="a"}': flat(3 * 3600 + 1) },
    spared: { 'land_lookup_subscriptions_compared_seconds{instance="a"}': flat(3 * 3600) },
  },
  LandLookupWebhooksFail: {
    minutes: 75,
    raised: {
      'land_lookup_webhooks_lag_seconds{instance="a"}': grows(60, 3000),
      'land_lookup_webhooks{state="delivered",instance="a"}': flat(7),
    },
    // One receiver of many does not answer.
    spared: {
      'land_lookup_webhooks_lag_seconds{instance="a"}': grows(60, 3000),
      'land_lookup_webhooks{state="delivered",instance="a"}': grows(1),
    },
  },
  LandLookupClock: figure('land_lookup_clock_trusted', 3, [0, 1]),
  LandLookupEventLoop: figure('nodejs_eventloop_lag_p99_seconds', 12, [0.11, 0.1]),
  LandLookupMemory: {
    minutes: 740,
    raised: { 'process_resident_memory_bytes{instance="a"}': grows(400_000, 4e8) },
    // A start, and a second pool of threads.
    spared: { 'process_resident_memory_bytes{instance="a"}': `3e8+1e6x100 ${then(200, 4e8, flat(5e8))}` },
  },
  LandLookupFiles: {
    minutes: 7,
    raised: { 'process_open_fds{instance="a"}': flat(810), 'process_max_fds{instance="a"}': flat(1000) },
    spared: { 'process_open_fds{instance="a"}': flat(800), 'process_max_fds{instance="a"}': flat(1000) },
  },
  LandLookupLogLarge: figure('land_lookup_write_ahead_log_bytes{file="usage.sqlite"}', 17, [257e6, 256e6]),
  LandLookupBatchesStuck: {
    minutes: 35,
    raised: {
      'land_lookup_batch_jobs{state="running"}': flat(1),
      'land_lookup_batch_rows_total{outcome="found"}': flat(50),
    },
    spared: {
      'land_lookup_batch_jobs{state="running"}': flat(1),
      'land_lookup_batch_rows_total{outcome="found",instance="a"}': flat(50),
      'land_lookup_batch_rows_total{outcome="found",instance="b"}': grows(1),
    },
  },
  LandLookupBatchesWait: figure('land_lookup_batch_oldest_seconds', 7, [3601, 3600]),
  LandLookupBatchFaults: {
    minutes: 25,
    // One part that fails is tried each half minute.
    raised: { 'land_lookup_batch_faults_total{instance="a"}': grows(2) },
    // A moment in which the disk or the store of batches did not answer.
    spared: { 'land_lookup_batch_faults_total{instance="a"}': then(3, 0, flat(40)) },
  },
  LandLookupBatchRowsFail: {
    minutes: 20,
    raised: {
      'land_lookup_batch_rows_total{outcome="found"}': grows(97),
      'land_lookup_batch_rows_total{outcome="failed"}': grows(3),
    },
    spared: {
      'land_lookup_batch_rows_total{outcome="found"}': grows(995),
      'land_lookup_batch_rows_total{outcome="failed"}': grows(5),
    },
  },
};

/** A further fault that an alert is for, seen by another program. */
export const furtherCases: readonly (readonly [alert: string, minutes: number, series: Series])[] = [
  ['LandLookupProxyRefuses', 15, { 'nginx_refused_requests_total{status="503"}': grows(3) }],
  ['LandLookupProxyLimits', 35, { 'nginx_refused_requests_total{status="429"}': grows(8) }],
  ['LandLookupErrors', 15, { 'land_lookup_requests_total{route="/mcp",status="500",code="INTERNAL"}': grows(1) }],
  ['LandLookupSourceDrift', 35, { [job('success', 'sources')]: grows(60, 3 * DAY_S - 300) }],
  ['LandLookupSlow', 18, times('/api/suggest', '0.1', 2)],
  ['LandLookupSlowOthers', 18, times('/api/lookup/area', '2', 2)],
  [
    'LandLookupBatchesStuck',
    35,
    { 'land_lookup_batch_jobs{state="queued"}': flat(1), 'land_lookup_batch_rows_total{outcome="found"}': flat(0) },
  ],
];

/** A series of a test, as a scrape of the service has it: without what Prometheus adds, and with the name of the label that it renames. */
export function asScraped(series: string): { readonly name: string; readonly labels: ReadonlyMap<string, string> } {
  const labels = [...series.matchAll(/(\w+)="([^"]*)"/g)].filter(([, label]) => label !== 'instance');
  return {
    name: /^\w+/.exec(series)![0],
    labels: new Map(labels.map(([, label, value]) => [label === 'exported_job' ? 'job' : label!, value!])),
  };
}
