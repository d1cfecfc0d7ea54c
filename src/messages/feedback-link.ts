/** What a link says of a finding that may be wrong: nothing about a person, a place or a key. */
interface ReportedFinding {
  /** Id of the lookup; null where it is not known. */
  readonly lookup: string | null;
  /** Key of the layer. */
  readonly layer: string;
  /** Id of the snapshot. */
  readonly vintage: string;
}

/** Returns the link of a finding. @param url an https URL, or a mailto: address. */
export function feedbackLink(url: string, { lookup, ...rest }: ReportedFinding): string {
  const facts = Object.entries({ ...(lookup === null ? {} : { lookup }), ...rest });
  const written = (pairs: readonly (readonly [string, string])[]): string =>
    pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const body = facts.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  const isMail = url.startsWith('mailto:');
  const said = written(
    isMail
      ? [
          ['subject', `land-lookup: ${rest.layer}`],
          ['body', body],
        ]
      : facts,
  );
  const [whole, fragment] = url.split(/(?=#)/, 2) as [string, string?];
  return `${whole}${whole.includes('?') ? '&' : '?'}${said}${fragment ?? ''}`;
}
