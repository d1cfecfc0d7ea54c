import type { SettingsReader } from '../../core/settings/settings-reader.ts';

export interface SuggestSettings {
  /** Requests per hour and key. */
  readonly perHour: number;
}

export function suggestSettings({ integer }: SettingsReader): SuggestSettings {
  return { perHour: integer('SUGGEST_PER_HOUR', 20_000, [1, 1_000_000_000]) };
}
