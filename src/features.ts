/** All features: the only file that names them. */
import type { Config } from './core/settings/config.ts';
import type { Commands, Feature, KeptData, RowMember, ServedFeature } from './feature.ts';
import type { ReadArea } from './messages/lookup.ts';
import { openEmbedded, type OpenGeocoding } from './core/lookup/geocoding.ts';
import { geocoderSettings } from './features/geocoders/settings.ts';
import { batchSettings } from './features/batches/settings.ts';
import { explainSettings } from './features/explain/settings.ts';
import { pageSettings } from './features/page/settings.ts';
import { rulesSettings } from './features/rules/settings.ts';
import { signupSettings } from './features/signup/settings.ts';
import { sourcesSettings } from './features/sources/settings.ts';
import { suggestSettings } from './features/suggest/settings.ts';
import type { SourceFetcher } from './import/source-fetcher.ts';
import { webhookSettings } from './features/webhooks/settings.ts';

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
  {
    name: 'rules',
    settings: rulesSettings,
    checkFiles: async () => (await import('./features/rules/read-rules.ts')).checkRules,
    rowMember: async () => (await import('./features/rules/rules-member.ts')).rulesOfRows,
    load: async () => (await import('./features/rules/feature.ts')).rules,
  },
  {
    name: 'compare',
    commands: { compare: () => import('./features/compare/commands.ts') },
    load: async () => (await import('./features/compare/feature.ts')).compare,
  },
  { name: 'examples', load: async () => (await import('./features/examples/feature.ts')).examples },
  {
    name: 'suggest',
    settings: suggestSettings,
    load: async () => (await import('./features/suggest/feature.ts')).suggest,
  },
  {
    name: 'explain',
    settings: explainSettings,
    load: async () => (await import('./features/explain/feature.ts')).explain,
  },
  { name: 'coverage', load: async () => (await import('./features/coverage/feature.ts')).coverage },
  {
    name: 'batches',
    settings: batchSettings,
    kept: async () => (await import('./features/batches/kept-batches.ts')).keptBatches,
    commands: {
      batch: () => import('./features/batches/commands/batch.ts'),
      lookup: () => import('./features/batches/commands/lookup-file.ts'),
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
    scriptSettings: ['FOLLOW_FROM'],
    commands: { snapshot: () => import('./features/travel/commands.ts') },
    load: async () => (await import('./features/travel/feature.ts')).travel,
  },
  { name: 'download', fetcher: async () => (await import('./features/download/fetcher.ts')).fetcher },
  { name: 'doctor', commands: { doctor: () => import('./features/doctor/doctor.ts') } },
  {
    name: 'backup',
    scriptSettings: ['BACKUP_DIR'],
    commands: {
      backup: () => import('./features/backup/commands.ts'),
      restore: () => import('./features/backup/commands.ts'),
    },
  },
  { name: 'verify', commands: { verify: () => import('./features/verify/verify.ts') } },
  { name: 'privacy', commands: { customers: () => import('./features/privacy/customer-data.ts') } },
  {
    name: 'sources',
    settings: sourcesSettings,
    commands: { sources: () => import('./features/sources/commands.ts') },
    load: async () => (await import('./features/sources/feature.ts')).sources,
  },
  {
    name: 'page',
    settings: pageSettings,
    load: async () => (await import('./features/page/feature.ts')).page,
  },
  {
    name: 'geocoders',
    settings: geocoderSettings,
    geocoding: {
      order: (reader) => geocoderSettings(reader).order,
      open: async () => (await import('./features/geocoders/geocoding.ts')).openGeocoders,
    },
    load: async () => (await import('./features/geocoders/feature.ts')).geocoders,
  },
];

/** Loads what features bring to a service. @param names those that FEATURES names; all without it. */
export function loadFeatures(
  names: readonly string[] = allFeatures.map(({ name }) => name),
): Promise<readonly ServedFeature[]> {
  const chosen = allFeatures.filter(({ name }) => names.includes(name));
  return Promise.all(chosen.flatMap(({ load }) => (load ? [load()] : [])));
}

/** Commands in the order of the help. Others come after them. */
const helpOrder = [
  ...[
    'serve',
    'demo',
    'check-config',
    'doctor',
    'lookup',
    'load-layers',
    'load-addresses',
    'sources',
    'snapshot',
    'verify',
  ],
  ...['keys', 'customers', 'usage', 'backup', 'restore', 'batch', 'compare'],
];

/** The commands of the core and of the features that FEATURES names, in the order of the help; for one name those of the core first. */
export function commandsOf(
  ofCore: Commands,
  names: readonly string[],
): readonly (readonly [string, Commands[string]])[] {
  const ofFeatures = allFeatures.flatMap(({ name, commands }) => (commands && names.includes(name) ? [commands] : []));
  const placeOf = (name: string): number => (helpOrder.includes(name) ? helpOrder.indexOf(name) : helpOrder.length);
  return [ofCore, ...ofFeatures]
    .flatMap((commands) => Object.entries(commands))
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other));
}

/** Says which of the features that FEATURES leaves out have a command, or more of one; empty: none has. */
export function leftOutOf(command: string, names: readonly string[]): string {
  return allFeatures
    .filter((one) => !names.includes(one.name) && Object.keys(one.commands ?? {}).includes(command))
    .map(({ name }) => {
      const why = `FEATURES leaves out "${name}", which has commands or options of "${command}"`;
      return `${why}: add it to FEATURES to use them\n`;
    })
    .join('');
}

/** Checks files that settings of features name. @throws Error that names the file and what is wrong with it. */
export async function checkFiles(config: Config): Promise<void> {
  for (const feature of allFeatures)
    if (feature.checkFiles && config.features.includes(feature.name)) (await feature.checkFiles())(config);
}

/** What fetches for imports; null: no feature that FEATURES names does. */
export async function fetcherOf(names: readonly string[]): Promise<SourceFetcher | null> {
  return (await allFeatures.find(({ name, fetcher }) => fetcher && names.includes(name))?.fetcher?.()) ?? null;
}

/** What asks the geocoders that the features named here bring besides the embedded one. */
export async function loadGeocoding(names: readonly string[]): Promise<OpenGeocoding> {
  const feature = allFeatures.find(({ name, geocoding }) => geocoding && names.includes(name));
  return (await feature?.geocoding?.open()) ?? openEmbedded;
}

/** What features keep of customers, in the order of the list. */
export function keptData(): Promise<readonly KeptData[]> {
  return Promise.all(allFeatures.flatMap(({ kept }) => (kept ? [kept()] : [])));
}

/** What reads the geometry of an area, for the features that FEATURES names; null: none of them looks up areas. */
export async function loadReadArea(names: readonly string[]): Promise<ReadArea | null> {
  const feature = allFeatures.find(({ name, readArea }) => readArea && names.includes(name));
  return (await feature?.readArea?.()) ?? null;
}

/** What files can be asked for besides, by the features that FEATURES names. */
export function loadRowMembers(names: readonly string[]): Promise<readonly RowMember[]> {
  const chosen = allFeatures.filter(({ name }) => names.includes(name));
  return Promise.all(chosen.flatMap(({ rowMember }) => (rowMember ? [rowMember()] : [])));
}
