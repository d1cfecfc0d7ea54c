/** The line that says what happens. Screen readers read it out. */
import { byId } from './dom.ts';

/** `quiet`: for those who listen; others see it anyway. */
export function say(text: string, { quiet = false }: { quiet?: boolean } = {}) {
  const status = byId('status');
  status.textContent = text;
  status.classList.toggle('heard-only', quiet);
}

/** Puts a text into the clipboard, and says so. */
export async function copy(text: string, { done, failed }: { done: string; failed: string }) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(failed);
  }
}
