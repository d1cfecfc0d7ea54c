/** Counties, regions and districts: they say less than the municipality before them. */
const names = new Set([
  ...['ALGOMA', 'BRANT', 'BRUCE', 'COCHRANE', 'DUFFERIN', 'DURHAM', 'ELGIN', 'ESSEX', 'FRONTENAC', 'GREY', 'HALDIMAND'],
  ...['HALIBURTON', 'HALTON', 'HASTINGS', 'HURON', 'KENORA', 'KENT', 'LAMBTON', 'LANARK', 'LEEDS AND GRENVILLE'],
  ...[
    'LENNOX AND ADDINGTON',
    'MANITOULIN',
    'MIDDLESEX',
    'MUSKOKA',
    'NIAGARA',
    'NIPISSING',
    'NORFOLK',
    'NORTHUMBERLAND',
  ],
  ...['OXFORD', 'PARRY SOUND', 'PEEL', 'PERTH', 'PETERBOROUGH', 'PRESCOTT AND RUSSELL', 'PRINCE EDWARD', 'RAINY RIVER'],
  ...['RENFREW', 'SIMCOE', 'STORMONT DUNDAS AND GLENGARRY', 'SUDBURY', 'THUNDER BAY', 'TIMISKAMING', 'VICTORIA'],
  ...['WATERLOO', 'WELLINGTON', 'YORK'],
]);

const kinds = new Set(['REGION', 'COUNTY', 'DISTRICT', 'MUNICIPALITY', 'COUNTIES']);

/** "York Region", "Region of Peel", "Regional Municipality of Niagara", "Frontenac County", "District of Muskoka". */
export function isUpperTier(words: readonly string[]): boolean {
  if (!words.some((word) => kinds.has(word))) return false;
  const text = words.join(' ');
  const name =
    /^(.+) (?:REGION|COUNTY|DISTRICT|REGIONAL MUNICIPALITY)$/.exec(text)?.[1] ??
    /^(?:REGION|COUNTY|DISTRICT|REGIONAL MUNICIPALITY|UNITED COUNTIES) OF (.+)$/.exec(text)?.[1];
  return name !== undefined && names.has(name);
}
