import { Counter, type Registry } from 'prom-client';
import { stages } from '../../messages/stages.ts';
import { requestContextOf } from './request-context.ts';
import { routeOf, statusOf, type NoteRequest } from './request-log.ts';
import { TimeHistogram } from './time-histogram.ts';

/** Requests of one series that the registry does not have yet. */
interface Uncounted {
  readonly labels: { readonly route: string; readonly status: number; readonly code: string };
  requests: number;
}

/**
 * Counts the requests of the app and those that are refused before it. The registry gets them when it is read: finding a series by its labels takes
 * longer than counting.
 */
export class RequestCounts {
  readonly #uncounted = new Map<string, Uncounted>();

  constructor(registry: Registry) {
    const uncounted = this.#uncounted;
    new Counter({
      name: 'land_lookup_requests_total',
      help: 'Requests that ended, by route, status and problem code (OK when there is none).',
      labelNames: ['route', 'status', 'code'],
      registers: [registry],
      collect() {
        for (const { labels, requests } of uncounted.values()) this.inc(labels, requests);
        uncounted.clear();
      },
    });
  }

  count(route: string, status: number, code: string): void {
    const series = `${route} ${status} ${code}`;
    const known = this.#uncounted.get(series);
    if (known) known.requests++;
    else this.#uncounted.set(series, { labels: { route, status, code }, requests: 1 });
  }
}

/** Counts and times every request of the app, by route pattern and code. */
export function measureRequests(registry: Registry, requests: RequestCounts): NoteRequest {
  const times = new TimeHistogram({
    name: 'land_lookup_request_seconds',
    help: 'Time from the header of a request to the end of its answer.',
    label: 'route',
    registry,
  });
  const stageTimes = new TimeHistogram({
    name: 'land_lookup_stage_seconds',
    help: 'Time of one stage of a lookup; "queue" is the wait for a thread and the way there and back.',
    label: 'stage',
    registry,
  });
  const members = stages.map((stage) => [stage, `${stage}Ms`] as const);
  return (req, res, ms) => {
    const requestContext = requestContextOf(res);
    const route = routeOf(req) ?? 'none';
    const status = statusOf(res);
    requests.count(route, status, requestContext.error?.code ?? (status < 400 ? 'OK' : String(status)));
    times.add(route, ms);
    for (const [stage, member] of members) {
      const stageMs = requestContext[member];
      if (stageMs !== undefined) stageTimes.add(stage, stageMs);
    }
  };
}
