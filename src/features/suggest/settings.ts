import type { SettingsReader } from '../../core/settings/settings-reader.ts';

/** `perHour`: requests per hour and key. */
export function suggestSettings({ integer }: SettingsReader): { readonly perHour: number } {
  return { perHour: integer('SUGGEST_PER_HOUR', 20_000, [1, 1_000_000_000]) };
}
