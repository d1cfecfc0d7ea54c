/** Returns the message for a file that no driver reads. */
export function unreadable(bytes: number | null): string {
  const size = bytes === null ? '' : ` (${bytes} bytes)`;
  return `is not a readable GeoPackage, GeoJSON, Shapefile or FileGDB, or is truncated${size}`;
}
