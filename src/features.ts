/** All features: the only file that names them. */
import type { Commands, Feature, ServedFeature } from './feature.ts';
import type { ReadArea } from './messages/lookup.ts';
import { batchSettings } from './features/batches/settings.ts';
import { suggestSettings } from './features/suggest/settings.ts';

/**
 * In the order in which the document of the API has them. A service opens them from the last to the first, and closes them the other way round: what comes
 * earlier may tell those after it what happened.
 */
export const allFeatures: readonly Feature[] = [
  {
    name: 'areas',
    readArea: async () => (await import('./features/areas/area-request.ts')).areaOf,
    load: async () => (await import('./features/areas/feature.ts')).areas,
  },
  { name: 'maps', load: async () => (await import('./features/maps/feature.ts')).maps },
  { name: 'examples', load: async () => (await import('./features/examples/feature.ts')).examples },
  {
    name: 'suggest',
    settings: suggestSettings,
    load: async () => (await import('./features/suggest/feature.ts')).suggest,
  },
  {
    name: 'batches',
    settings: batchSettings,
    kept: async () => (await import('./features/batches/kept-batches.ts')).keptBatches,
    commands: { batch: () => import('./features/batches/commands/batch.ts') },
    load: async () => (await import('./features/batches/feature.ts')).batches,
  },
  {
    name: 'webhooks',
    kept: async () => (await import('./features/webhooks/kept-deliveries.ts')).keptDeliveries,
    load: async () => (await import('./features/webhooks/feature.ts')).webhooks,
  },
  { name: 'account', load: async () => (await import('./features/account/feature.ts')).account },
  { name: 'signup', load: async () => (await import('./features/signup/feature.ts')).signup },
  { name: 'agents', load: async () => (await import('./features/agents/feature.ts')).agents },
  {
    name: 'travel',
    commands: { snapshot: () => import('./features/travel/commands.ts') },
    load: async () => (await import('./features/travel/feature.ts')).travel,
  },
];

/** Loads what features bring to a service. @param names those that FEATURES names; all without it. */
export function loadFeatures(
  names: readonly string[] = allFeatures.map(({ name }) => name),
): Promise<readonly ServedFeature[]> {
  const chosen = allFeatures.filter(({ name }) => names.includes(name));
  return Promise.all(chosen.map(({ load }) => load()));
}

/** What reads the geometry of an area, for the features that FEATURES names; null: none of them looks up areas. */
export async function loadReadArea(names: readonly string[]): Promise<ReadArea | null> {
  const feature = allFeatures.find(({ name, readArea }) => readArea && names.includes(name));
  return (await feature?.readArea?.()) ?? null;
}

/** The commands of the features that FEATURES names. */
export function commandsOf(names: readonly string[]): readonly Commands[] {
  return allFeatures.flatMap(({ name, commands }) => (commands && names.includes(name) ? [commands] : []));
}
