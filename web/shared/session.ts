/**
 * What the page remembers: the key, the language, what was typed before a sign-up, and the last answers (kept-answers.ts), in this tab only. The key alone may outlive it, where its
 * holder says so.
 */

/** What a browser stores. One that refuses to store anything, as many do when they refuse cookies, has it until the page ends. */
function storageOf(kind: 'sessionStorage' | 'localStorage'): Storage {
  try {
    return (globalThis as Partial<typeof globalThis>)[kind] ?? inMemory();
  } catch {
    return inMemory();
  }
}

function inMemory(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (i) => [...kept.keys()][i] ?? null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
    clear: () => kept.clear(),
  };
}

export const tabStorage = storageOf('sessionStorage');
const deviceStorage = storageOf('localStorage');

const KEY = 'land-lookup-key';
const LANGUAGE = 'land-lookup-language';

/** As early.ts reads it. */
export const readKey = () => tabStorage.getItem(KEY) || deviceStorage.getItem(KEY) || '';

/** Keeps the key in the tab, and on the device where that is wanted. */
export function keepKey(key: string) {
  isStored(KEY, key);
  if (key !== '' && isRemembering()) rememberKey(key);
}

/** Whether this device remembers the key; it does only where somebody asked for it. */
export const isRemembering = () => deviceStorage.getItem(KEY) !== null;

/** `key` empty: one that is yet to come. */
export const rememberKey = (key: string) => void isStored(KEY, key, deviceStorage);

export const forgetOnDevice = () => {
  deviceStorage.removeItem(KEY);
};

/** Forgets the key in the tab and on the device. */
export function forgetKey() {
  tabStorage.removeItem(KEY);
  forgetOnDevice();
}

const TYPED = 'land-lookup-typed';

/** Keeps what somebody typed, over a way through other pages. */
export const keepTyped = (text: string) => void isStored(TYPED, text);

/** Returns what was kept so, once. */
export function takeTyped() {
  const text = tabStorage.getItem(TYPED) ?? '';
  tabStorage.removeItem(TYPED);
  return text;
}

export type Language = 'en' | 'fr';

/** The tab's choice, else `?lang=` of the address bar, else the browser's preference. */
export function readLanguage(): Language {
  const asked = new URLSearchParams(location.search).get('lang');
  const choice = tabStorage.getItem(LANGUAGE) ?? asked ?? navigator.language;
  return choice.toLowerCase().startsWith('fr') ? 'fr' : 'en';
}

export const keepLanguage = (language: Language) => void isStored(LANGUAGE, language);

/** Stores a text, in the tab unless somewhere else is named. False: the browser has no room for it. */
export function isStored(name: string, text: string, storage: Storage = tabStorage) {
  try {
    storage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
