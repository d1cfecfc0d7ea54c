import regions from './lists/regions.json' with { type: 'json' };

/** Names of the country. */
export const canada = new Set(regions.canada);

/** Written forms of this province, words joined by a space. */
export const ontario = new Set(regions.ontario);

/** Other provinces and territories, in both languages. */
export const otherProvinces = new Set(regions.otherProvinces);

export const otherCountries = new Set(regions.otherCountries);

/** States of the United States by their two letters; they count with a ZIP code behind them, or at the very end. */
export const stateCodes = new Set(regions.stateCodes);

export const stateNames = new Set(regions.stateNames);

/** Large places of other provinces and states that are not the name of an Ontario municipality. */
export const placesElsewhere = new Set(regions.placesElsewhere.map((name) => name.replaceAll(' ', '')));
