import type { Feature } from './feature.ts';
import { allFeatures } from './features.ts';
import {
  configOf,
  featuresIn,
  type ClientConfig,
  type Config,
  type GivenClient,
  type ReadSettings,
  type SettingsRead,
} from './core/settings/config.ts';
import { nameFaults, SettingsReader, type Environment, type SettingsFile } from './core/settings/settings-reader.ts';
import { statSync } from 'node:fs';

/**
 * Reads the environment; no other code does. An empty variable counts as not set.
 * @throws Error with a line for each variable that is mistyped, removed, or has a bad value: it says what the variable takes.
 */
export function readConfig(env: Environment = process.env): Config {
  const { draft, faults } = readSettings(env);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return draft as Config;
}

/** Names of all settings. */
export function settingNames(): readonly string[] {
  return [...new Set([...namesOfCore, ...allFeatures.flatMap(namesOfFeature)]), 'CREDENTIALS_DIRECTORY'];
}

/** Names of the settings that something reads. */
function namesReadBy(read: ReadSettings<unknown>): readonly string[] {
  const reader = new SettingsReader({});
  read(reader);
  return reader.settings.map(({ name }) => name);
}

const namesOfCore = namesReadBy((reader) => configOf(reader, []));

function namesOfFeature({ settings }: Feature): readonly string[] {
  return settings ? namesReadBy(settings) : [];
}

/** Names of the features that FEATURES chooses. @throws Error when it names one that is not there. */
export function readFeatures(env: Environment = process.env): readonly string[] {
  const reader = new SettingsReader(env);
  const features = featuresIn(reader, allFeatures);
  if (reader.faults.length > 0) throw new Error(reader.faults.join('\n'));
  return features;
}

/** Reads the environment and a file of settings, over which the environment has precedence, and says all that is wrong with them at once. */
export function readSettings(env: Environment = process.env, file: SettingsFile | null = null): SettingsRead {
  const names = nameFaults(env, file, [...settingNames(), ...allFeatures.flatMap((one) => one.scriptSettings ?? [])]);
  const reader = new SettingsReader(env, file);
  const draft = configOf(reader, allFeatures);
  const { settings } = reader;
  const leftOut = faultsOfFeatures(draft.features, (name) => reader.isSet(name));
  return { draft, settings, faults: [...names, ...reader.faults, ...leftOut, ...portFaults(draft)] };
}

/** Names each setting that is set and belongs to a feature that FEATURES leaves out. */
function faultsOfFeatures(chosen: readonly string[], isSet: (name: string) => boolean): readonly string[] {
  const isChosen = ({ name }: Feature): boolean => chosen.includes(name);
  const known = new Set([...namesOfCore, ...allFeatures.filter(isChosen).flatMap(namesOfFeature)]);
  return allFeatures
    .filter((feature) => !isChosen(feature))
    .flatMap((feature) =>
      [...namesOfFeature(feature), ...(feature.scriptSettings ?? [])]
        .filter((name) => !known.has(name) && isSet(name))
        .map(
          (name) =>
            `${name} is a setting of the feature "${feature.name}", which FEATURES leaves out: remove it, or add "${feature.name}" to FEATURES`,
        ),
    );
}

/** One address cannot be listened on twice. Port 0 takes a free one each time. */
function portFaults({ host, port, adminHost, adminPort }: Config): readonly string[] {
  const isShared = host === adminHost || [host, adminHost].some((one) => ['0.0.0.0', '::'].includes(one));
  if (port === 0 || port !== adminPort || !isShared) return [];
  return [`PORT and ADMIN_PORT are both ${port}: set ADMIN_PORT, the one of the metrics, to another one`];
}

/**
 * Returns the server and the key of a command: what its options say, else `LAND_LOOKUP_URL` and `LAND_LOOKUP_KEY`.
 * @throws Error without a key, or when the URL is none. No message contains the key.
 */
export function readClientConfig(given: GivenClient, env: Environment = process.env): ClientConfig {
  const url = given.url ?? (env['LAND_LOOKUP_URL']?.trim() || 'http://127.0.0.1:8080');
  const key = given.key ?? env['LAND_LOOKUP_KEY']?.trim() ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error('--url (or LAND_LOOKUP_URL) must be the http(s) address of a land-lookup service');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('give an API key: --key KEY, or LAND_LOOKUP_KEY');
  return { url: url.replace(/\/+$/, ''), key };
}

/**
 * Takes from this process's environment what would open the network to GDAL and PROJ: exceptions from the proxy that closes it
 * (docs/decisions/0073). Call it on the main thread before a thread loads GDAL; other threads have copies of the environment.
 */
export function closeNetworkOfLibraries(env: NodeJS.ProcessEnv = process.env): void {
  delete env['no_proxy'];
  delete env['NO_PROXY'];
  env['PROJ_NETWORK'] = 'OFF';
}

/**
 * Returns the settings of a command that makes no data folder: with a mistyped DATA_DIR it would find nothing, and seem to have done its work.
 * @throws Error that names the folder when it is not there.
 */
export function readConfigOfData(): Config {
  const config = readConfig();
  if (statSync(config.dataDir, { throwIfNoEntry: false })?.isDirectory() === true) return config;
  throw new Error(
    `there is no data folder ${config.dataDir}: correct DATA_DIR, or import data there first with "land-lookup load-layers"`,
  );
}
