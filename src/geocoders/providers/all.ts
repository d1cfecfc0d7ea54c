import type { Provider } from '../provider.ts';
import { arcgis } from './arcgis.ts';
import { google } from './google.ts';
import { nominatim } from './nominatim.ts';
import { pelias } from './pelias.ts';
import { photon } from './photon.ts';

export const providers = { nominatim, pelias, photon, arcgis, google } as const satisfies Record<string, Provider>;

export type ProviderName = keyof typeof providers;
