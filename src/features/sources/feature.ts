import { labelled } from '../../core/admin/gauges.ts';
import { partOf, type ServedFeature } from '../../feature.ts';
import { DAY_MS } from '../../messages/time.ts';
import { statusPage, statusRoute } from './status-routes.ts';
import { gravestOf, openStatus, statusPart } from './status.ts';

/** Older findings are not those of now: the alert then says that nothing is checked. */
const LONGEST_VALID_MS = 3 * DAY_MS;

/** What became of the sources of the data, for everybody. */
export const sources: ServedFeature = {
  routes: [statusRoute],
  pages: (services) => [statusPage(services)],
  part: partOf(statusPart, openStatus),
  measure: (metrics, { catalogue, parts }) => {
    const help = 'Always 1: the gravest finding of the last check of the sources of a data set, where it is not well.';
    labelled(metrics, 'land_lookup_source_drift', help, ['data_set', 'finding'], (set) => {
      const checks = parts.of(statusPart).checks();
      if (checks === null || Date.now() - Date.parse(checks.checkedAt) > LONGEST_VALID_MS) return;
      for (const { id } of catalogue.dataSets) {
        const { finding = 'ok' } = gravestOf(checks, id) ?? {};
        if (finding !== 'ok') set({ data_set: id, finding }, 1);
      }
    });
  },
};
