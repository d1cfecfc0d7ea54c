import type Gdal from 'gdal-async';

/**
 * Settings under which GDAL opens no connection (docs/decisions/0073). GDAL 3.6 has no switch for its network: curl refuses this
 * proxy's scheme before it resolves a name or opens a socket. `CPL_VSIL_CURL_ALLOWED_FILENAME` does the same for `/vsicurl/`.
 * The static SQL functions would let a view of a GeoPackage open any file or address.
 */
const limits = {
  GDAL_HTTP_PROXY: 'none://closed',
  GDAL_HTTPS_PROXY: 'none://closed',
  GDAL_HTTP_MAX_RETRY: '0',
  CPL_VSIL_CURL_ALLOWED_FILENAME: '/closed',
  OGR_SQLITE_STATIC_VIRTUAL_OGR: 'NO',
  // Off by default; a setting of the machine's GDAL must not turn them on.
  ALLOW_OGR_SQL_FUNCTIONS_FROM_TRIGGER_AND_VIEW: 'NO',
  SHAPE_RESTORE_SHX: 'NO',
} as const;

/** Closes GDAL's ways to the network, for the whole process with a shared GDAL. */
export function limitGdal({ config }: Pick<typeof Gdal, 'config'>): void {
  for (const [name, value] of Object.entries(limits)) config.set(name, value);
}
