import { isWebOrMail } from '../../core/settings/setting-groups.ts';
import type { SettingsReader } from '../../core/settings/settings-reader.ts';

/** Anything else than such an address is a fault. */
export function explainSettings({ text, attempt }: SettingsReader): {
  /** Where readers say that a finding is wrong: an https URL, or `mailto:` with an address. Null: nowhere. */
  readonly feedbackUrl: string | null;
} {
  return { feedbackUrl: attempt(() => feedbackUrlOf(text('FEEDBACK_URL'))) ?? null };
}

function feedbackUrlOf(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (isWebOrMail(given)) return given;
  throw new Error('FEEDBACK_URL must be an https URL, or mailto: and an address such as mailto:data@example.ca');
}
