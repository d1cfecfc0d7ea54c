import type { ServedFeature } from '../../feature.ts';
import { areaLookup } from './area-route.ts';
import { areaTool } from './area-tool.ts';

/** Lookups of areas: a route, rows of files, and a tool for agents. */
export const areas: ServedFeature = {
  lookups: [areaLookup],
  tools: [areaTool],
  about: () => ({ noun: 'a parcel' }),
};
