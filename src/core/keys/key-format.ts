/**
 * API keys: `olk_`, 32 random base62 characters, and a checksum of 6 more. With the checksum (CRC-32 of all characters
 * before it, in base62) the service refuses a mistyped key without a look-up, and a scan can find leaked keys.
 */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'olk_';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Makes a new key with 190 bits of randomness. */
export function createKey(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PREFIX + secret + checksum(PREFIX + secret);
}

/** Makes the key that belongs to these random bytes. @throws Error when they are too few: 64 are enough but for one case in 10^20. */
export function keyFrom(random: Uint8Array): string {
  // Beyond this, some characters would be more frequent than others.
  const fair = random.filter((byte) => byte < ALPHABET.length * Math.floor(256 / ALPHABET.length));
  if (fair.length < SECRET_LENGTH) throw new Error('a key needs more random bytes');
  const secret = Array.from(fair.slice(0, SECRET_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return PREFIX + secret + checksum(PREFIX + secret);
}

/** Says whether the text has the form of a key and the right checksum. */
export function isWellFormedKey(text: string): boolean {
  return SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** Returns the hash that is stored: SHA-256 in hexadecimal. A key is random enough to need no salt. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length]! + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
