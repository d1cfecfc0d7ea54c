/** The line that says what happens. Screen readers read it out. */
import { byId } from './dom.js';

/**
 * @param {string} text
 * @param {{ quiet?: boolean }} [how] quiet: for those who listen; others see it anyway
 */
export function say(text, { quiet = false } = {}) {
  const status = byId('status');
  status.textContent = text;
  status.classList.toggle('heard-only', quiet);
}

/**
 * Puts a text into the clipboard, and says so.
 * @param {string} text
 * @param {{ done: string, failed: string }} texts
 */
export async function copy(text, { done, failed }) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(failed);
  }
}
