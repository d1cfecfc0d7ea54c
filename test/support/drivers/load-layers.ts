import { fetcher } from '../../../src/features/download/fetcher.ts';
import { loadLayers as load } from '../../../src/import/load-layers.ts';

/** `load-layers` as the program has it with all features: without a folder it downloads. */
export const loadLayers: typeof load = (config, options, output) => load(config, options, output, fetcher);
