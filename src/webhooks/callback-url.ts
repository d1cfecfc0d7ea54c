const MOST_CHARACTERS = 2048;

/**
 * Returns why a URL cannot be a receiver of webhooks, in words for the client; null when it can.
 * @param allowList receivers inside the operator's network.
 */
export function callbackUrlFault(url: string, allowList: readonly string[]): string | null {
  if (url.length > MOST_CHARACTERS) return `it is longer than ${MOST_CHARACTERS} characters`;
  if (!URL.canParse(url)) return 'it must begin with https:// and a host';
  const { protocol, hostname, username, password, hash } = new URL(url);
  if (protocol !== 'https:' && !allowList.includes(hostname)) return 'it must begin with https://';
  if (username !== '' || password !== '') return 'it must not have a user name or password';
  return hash === '' ? null : 'it must not have a fragment';
}
