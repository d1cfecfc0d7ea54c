/**
 * Opens sources with GDAL itself, without the checks of an import, under the limits that every thread of the service sets. Arguments: the
 * files or names that GDAL is to open. Prints how many it opened.
 */
import { closeNetworkOfLibraries } from '../../src/config.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';

closeNetworkOfLibraries();
let opened = 0;
for (const name of process.argv.slice(2)) {
  try {
    gdal.open(name).layers.forEach((layer) => {
      layer.features.count(true);
    });
    opened++;
  } catch {
    // Refusing is right, too.
  }
}
console.log(opened);
