import { allFeatures } from './features.ts';
import { configOf, featuresIn, type Config } from './settings/config.ts';
import { requireNoRemoved, unknownNames } from './settings/setting-names.ts';
import { SettingsReader, type Environment, type Setting, type SettingsFile } from './settings/settings-reader.ts';

/**
 * Reads the environment; no other code does. An empty variable counts as not set.
 * @throws Error that names the variable and what it takes.
 */
export function readConfig(env: Environment = process.env): Config {
  return readSettings(env).config;
}

/** Names of all settings. */
export function settingNames(): readonly string[] {
  const reader = new SettingsReader({});
  configOf(reader, allFeatures);
  return [...reader.settings.map(({ name }) => name), 'CREDENTIALS_DIRECTORY'];
}

/** Names of the features that FEATURES chooses. @throws Error when it names one that is not there. */
export function readFeatures(env: Environment = process.env): readonly string[] {
  return featuresIn(new SettingsReader(env), allFeatures);
}

/**
 * Reads the environment, and returns where each setting is from too.
 * @throws Error that names a setting that is mistyped, removed, or has a bad value.
 */
export function readSettings(
  env: Environment = process.env,
  file: SettingsFile | null = null,
): { readonly config: Config; readonly settings: readonly Setting[] } {
  const isSet = (values: Environment): string[] => Object.keys(values).filter((name) => values[name]?.trim());
  requireNoRemoved([...isSet(env), ...isSet(file?.values ?? {})]);
  const [mistyped] = unknownNames(Object.keys(env), settingNames()).filter(({ meant }) => meant !== null);
  if (mistyped)
    throw new Error(
      `${mistyped.given} is no setting: correct it to ${mistyped.meant}, or remove it from the environment`,
    );
  const reader = new SettingsReader(env, file);
  const config = configOf(reader, allFeatures);
  requireOfFeatures(config.features, (name) => reader.isSet(name));
  return { config, settings: reader.settings };
}

/** @throws Error that names a setting of a feature that FEATURES leaves out. */
function requireOfFeatures(chosen: readonly string[], isSet: (name: string) => boolean): void {
  const isRead = new SettingsReader({});
  configOf(
    isRead,
    allFeatures.filter(({ name }) => chosen.includes(name)),
  );
  const known = new Set(isRead.settings.map(({ name }) => name));
  for (const { name: feature, settings } of allFeatures.filter(({ name }) => !chosen.includes(name))) {
    const reader = new SettingsReader({});
    settings?.(reader);
    const given = reader.settings.find(({ name }) => !known.has(name) && isSet(name));
    if (given)
      throw new Error(
        `${given.name} is a setting of the feature "${feature}", which FEATURES leaves out: remove it, or add "${feature}" to FEATURES`,
      );
  }
}

/** Where a command that asks a server finds it. */
export interface ClientConfig {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/**
 * Returns the server and the key of a command: what its options say, else `LAND_LOOKUP_URL` and `LAND_LOOKUP_KEY`.
 * @throws Error without a key, or when the URL is none. No message contains the key.
 */
export function readClientConfig(
  given: { readonly url?: string; readonly key?: string },
  env: Environment = process.env,
): ClientConfig {
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
