/** Ways in which a process with GDAL threads ends (`gdal-process.ts`). */
export const gdalEndings = ['close', 'destroy', 'exit', 'destroy-busy', 'exit-busy'] as const;
