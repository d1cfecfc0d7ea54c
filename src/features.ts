/** All features: the only file that names them. */
import type { Commands, Feature, ServedFeature } from './feature.ts';
import { batchSettings } from './features/batches/settings.ts';
import { signupSettings } from './features/signup/settings.ts';
import { suggestSettings } from './features/suggest/settings.ts';
import { webhookSettings } from './features/webhooks/settings.ts';

/**
 * In the order in which the document of the API has them. A service opens them from the last to the first, and closes them the other way round: what comes
 * earlier may tell those after it what happened.
 */
export const allFeatures: readonly Feature[] = [
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
    commands: {
      batch: () => import('./features/batches/commands/batch.ts'),
      lookup: () => import('./features/batches/commands/lookup.ts'),
    },
    load: async () => (await import('./features/batches/feature.ts')).batches,
  },
  {
    name: 'webhooks',
    settings: webhookSettings,
    kept: async () => (await import('./features/webhooks/kept-deliveries.ts')).keptDeliveries,
    load: async () => (await import('./features/webhooks/feature.ts')).webhooks,
  },
  { name: 'account', load: async () => (await import('./features/account/feature.ts')).account },
  {
    name: 'signup',
    settings: signupSettings,
    load: async () => (await import('./features/signup/feature.ts')).signup,
  },
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

/** The commands of the features that FEATURES names. */
export function commandsOf(names: readonly string[]): readonly Commands[] {
  return allFeatures.flatMap(({ name, commands }) => (commands && names.includes(name) ? [commands] : []));
}
