import { gaugesOf } from '../../core/admin/gauges.ts';
import type { ServedFeature } from '../../feature.ts';

/** Remote geocoders, asked besides the embedded one or in its place. */
export const geocoders: ServedFeature = {
  measure: (metrics, { health }) => {
    gaugesOf(metrics)(
      'land_lookup_geocoder_answers',
      '0 while a remote geocoder is configured that does not answer.',
      async () => (['ok', 'local'].includes((await health.check()).geocoder) ? 1 : 0),
    );
  },
};
