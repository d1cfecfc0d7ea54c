import type { SettingsReader } from '../../core/settings/settings-reader.ts';

export interface ExplainSettings {
  /** Where readers say that a finding is wrong: an https URL, or `mailto:` with an address. Null: nowhere. */
  readonly feedbackUrl: string | null;
}

/** Anything else than such an address is a fault. */
export function explainSettings({ text, attempt }: SettingsReader): ExplainSettings {
  return { feedbackUrl: attempt(() => feedbackUrlOf(text('FEEDBACK_URL'))) ?? null };
}

/** An address of mail as browsers take it, without the rarer forms that it may have. */
const MAIL = /^mailto:[\w.+-]+@[\w-]+(\.[\w-]+)+$/;

function feedbackUrlOf(given: string | undefined): string | null {
  if (given === undefined) return null;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (MAIL.test(given) || (url?.protocol === 'https:' && url.username === '')) return given;
  throw new Error('FEEDBACK_URL must be an https URL, or mailto: and an address such as mailto:data@example.ca');
}
