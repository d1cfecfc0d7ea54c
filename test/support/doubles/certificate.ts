import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  /** Certificate and key, as the proxies read them. */
  readonly file: string;
  /** The certificate, for a client that is to trust it. */
  readonly ca: string;
}

/** Makes a certificate for `localhost` and 127.0.0.1, signed by itself, in a folder. @throws Error without the program `openssl`. */
export function makeCertificate(folder: string): Certificate {
  const [key, certificate, file] = ['key.pem', 'certificate.pem', 'tls.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', key, '-out', certificate],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl makes no certificate: ${stderr}`);
  const ca = readFileSync(certificate, 'utf8');
  writeFileSync(file, ca + readFileSync(key, 'utf8'));
  return { file, ca };
}
