/** `load-layers` from a server in a process of its own, to be killed; it waits less for an unwell server than operators do. */
import { loadLayers } from './load-layers.ts';

const [dataDir = '', layersDir = '', server = '', packages = ''] = process.argv.slice(2);
const retry = { attempts: 30, firstMs: 5, mostMs: 100 };
process.exitCode = await loadLayers({ dataDir, layersDir }, { server, packages, retry, idleMs: 1000 });
