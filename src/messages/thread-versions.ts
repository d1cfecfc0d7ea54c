/** What a thread says to `land-lookup --version`. */
export interface ThreadVersions {
  readonly gdal: string;
  /** Numbers of formats of data, by the kind of data. */
  readonly formats: Readonly<Record<'usage' | 'cells' | 'suggestions', number>>;
}
