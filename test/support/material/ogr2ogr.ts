import { gdal } from '../../../workers/geopackage/gdal.ts';

/** Options without a value; each other one has one. */
const FLAGS: readonly string[] = ['-update', '-preserve_fid'];

/**
 * GDAL's `ogr2ogr`, with its arguments, which makes the formats that are read. It runs in this process: the start of the program costs ten times as much as
 * a conversion.
 */
export function ogr2ogr(...args: readonly string[]): void {
  const [options, places]: [string[], string[]] = [[], []];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!arg.startsWith('-')) places.push(arg);
    else if (FLAGS.includes(arg)) options.push(arg);
    else options.push(arg, args[++i]!);
  }
  const [to = '', from = '', ...layers] = places;
  const source = gdal.open(from);
  try {
    gdal.vectorTranslate(to, source, [...options, ...layers]).close();
  } finally {
    source.close();
  }
}
