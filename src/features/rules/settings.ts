import { resolve } from 'node:path';
import type { SettingsReader } from '../../core/settings/settings-reader.ts';

export function rulesSettings(reader: SettingsReader): {
  /** The operator's own rules, read after the release's; null: none. */
  readonly ownDir: string | null;
  /** Ids of rules that are on although nobody has read their text at its source. */
  readonly unverified: readonly string[];
} {
  const dir = reader.text('RULES_DIR');
  return { ownDir: dir === undefined ? null : resolve(dir), unverified: reader.list('RULES_UNVERIFIED') ?? [] };
}
