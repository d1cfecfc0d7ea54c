/** A client's side of a connection, for tests that write bytes by hand. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface ClientSocketOptions {
  /** Loopback address that the client has. */
  readonly localAddress?: string;
  /** Certificate that it trusts. */
  readonly ca?: string;
  /** Keeps its side open when the server closes its own. */
  readonly allowHalfOpen?: boolean;
}

/** Opens a connection, with TLS when the URL says so. A reset is an end, not an error. */
export async function openSocket(url: string, options: ClientSocketOptions = {}): Promise<Socket> {
  const { protocol, hostname: host, port } = new URL(url);
  const to = { ...options, host, port: Number(port) };
  const socket = protocol === 'https:' ? connectTls({ ...to, servername: 'localhost' }) : connect(to);
  socket.on('error', () => undefined);
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
  return socket;
}

/** Reads until the server closes or resets the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  // Not `once`, which throws at a reset.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

/** Returns the status of each response in the text. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
