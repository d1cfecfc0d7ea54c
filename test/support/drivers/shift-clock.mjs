/**
 * For `node --import`, before a server's own program: all its threads read a clock that is as many milliseconds off as CLOCK_FILE says; or, where it says
 * `=` and a time in milliseconds, a clock that stands there, and with it the time since the machine started. Write the file with `setClock`.
 */
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import process from 'node:process';

const file = process.env['CLOCK_FILE'];
const TrueDate = Date;
const trueUptime = os.uptime;
const standing = () => {
  const text = readFileSync(file, 'utf8');
  return text.startsWith('=') ? Number(text.slice(1)) : null;
};
const now = () => standing() ?? TrueDate.now() + Number(readFileSync(file, 'utf8'));

globalThis.Date = class extends TrueDate {
  constructor(...input) {
    super(...(input.length === 0 ? [now()] : input));
  }

  static now() {
    return now();
  }
};

os.uptime = () => {
  const atMs = standing();
  return atMs === null ? trueUptime() : atMs / 1000;
};
syncBuiltinESMExports();
