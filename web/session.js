/** What the page remembers: the key, the language and the last answers (kept-answers.js), in this tab only; nothing outlives it. */

const KEY = 'land-lookup-key';
const LANGUAGE = 'land-lookup-language';

export const readKey = () => sessionStorage.getItem(KEY) ?? '';

/** @param {string} key */
export const keepKey = (key) => void isStored(KEY, key);

/** @typedef {'en' | 'fr'} Language */

/**
 * The tab's choice, else `?lang=` of the address bar, else the browser's preference.
 * @returns {Language}
 */
export function readLanguage() {
  const asked = new URLSearchParams(location.search).get('lang');
  const choice = sessionStorage.getItem(LANGUAGE) ?? asked ?? navigator.language;
  return choice.toLowerCase().startsWith('fr') ? 'fr' : 'en';
}

/** @param {Language} language */
export const keepLanguage = (language) => void isStored(LANGUAGE, language);

/**
 * Stores a text in the tab. False: the browser has no room for it.
 * @param {string} name
 * @param {string} text
 */
export function isStored(name, text) {
  try {
    sessionStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
