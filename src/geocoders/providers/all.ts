import type { ProviderName } from '../../settings/setting-groups.ts';
import type { Provider } from '../provider.ts';
import { arcgis } from './arcgis.ts';
import { google } from './google.ts';
import { nominatim } from './nominatim.ts';
import { pelias } from './pelias.ts';
import { photon } from './photon.ts';

export const providers: Readonly<Record<ProviderName, Provider>> = { nominatim, pelias, photon, arcgis, google };
