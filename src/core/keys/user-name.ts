import { userInfo } from 'node:os';

/** Returns the name of the user of this process, or its number where the machine has no name for it, as in a container that is run with a user of its own. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
