import spectral from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

/** Rules that hold examples against their schemas, of which they make a program anew for each. */
const ofExamples = { 'oas3-valid-media-example': 'off' } as const;

/** Findings of Spectral's recommended rules for OpenAPI: errors and warnings. */
export async function spectralFindings(
  document: Record<string, unknown>,
  { withExamples }: { readonly withExamples: boolean },
): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: oas as never, rules: withExamples ? {} : ofExamples });
  const findings = await linter.run(structuredClone(document));
  return findings.map(({ code, path }) => `${code} at ${path.join('.')}`);
}
