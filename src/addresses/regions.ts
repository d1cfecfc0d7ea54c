/** Names of the country. */
export const canada = new Set(['CANADA', 'CAN']);

/** Written forms of this province, words joined by a space. */
export const ontario = new Set(['ON', 'ONT', 'ONTARIO']);

/** Other provinces and territories, in both languages. */
export const otherProvinces = new Set([
  ...['QC', 'PQ', 'QUE', 'QUEBEC', 'MB', 'MAN', 'MANITOBA', 'SK', 'SASK', 'SASKATCHEWAN', 'AB', 'ALTA', 'ALBERTA'],
  ...[
    'BC',
    'BRITISH COLUMBIA',
    'COLOMBIE BRITANNIQUE',
    'NB',
    'NEW BRUNSWICK',
    'NOUVEAU BRUNSWICK',
    'NS',
    'NOVA SCOTIA',
  ],
  ...[
    'NOUVELLE ECOSSE',
    'PE',
    'PEI',
    'PRINCE EDWARD ISLAND',
    'ILE DU PRINCE EDOUARD',
    'NL',
    'NF',
    'NFLD',
    'NEWFOUNDLAND',
  ],
  ...['LABRADOR', 'NEWFOUNDLAND AND LABRADOR', 'TERRE NEUVE', 'TERRE NEUVE ET LABRADOR', 'YT', 'YUKON', 'NT', 'NWT'],
  ...['NORTHWEST TERRITORIES', 'TERRITOIRES DU NORD OUEST', 'NU', 'NUNAVUT'],
]);

export const otherCountries = new Set([
  ...['USA', 'US', 'U S A', 'U S', 'UNITED STATES', 'UNITED STATES OF AMERICA', 'ETATS UNIS', 'MEXICO', 'FRANCE'],
  ...[
    'UK',
    'UNITED KINGDOM',
    'ENGLAND',
    'SCOTLAND',
    'GREAT BRITAIN',
    'IRELAND',
    'GERMANY',
    'AUSTRALIA',
    'INDIA',
    'CHINA',
  ],
]);

/** States of the United States by their two letters; they count with a ZIP code behind them, or at the very end. */
export const stateCodes = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA ' +
    'RI SC SD TN TX UT VT VA WA WV WI WY DC'
  ).split(' '),
);

export const stateNames = new Set(
  (
    'ALABAMA ALASKA ARIZONA ARKANSAS CALIFORNIA COLORADO CONNECTICUT DELAWARE FLORIDA GEORGIA HAWAII IDAHO ILLINOIS INDIANA ' +
    'IOWA KANSAS KENTUCKY LOUISIANA MAINE MARYLAND MASSACHUSETTS MICHIGAN MINNESOTA MISSISSIPPI MISSOURI MONTANA NEBRASKA ' +
    'NEVADA NEW_HAMPSHIRE NEW_JERSEY NEW_MEXICO NEW_YORK NORTH_CAROLINA NORTH_DAKOTA OHIO OKLAHOMA OREGON PENNSYLVANIA ' +
    'RHODE_ISLAND SOUTH_CAROLINA SOUTH_DAKOTA TENNESSEE TEXAS UTAH VERMONT VIRGINIA WASHINGTON WEST_VIRGINIA WISCONSIN WYOMING'
  )
    .split(' ')
    .map((name) => name.replaceAll('_', ' ')),
);

/** Large places of other provinces and states that are not the name of an Ontario municipality. */
export const placesElsewhere = new Set(
  [
    ...['MONTREAL', 'QUEBEC CITY', 'VILLE DE QUEBEC', 'LAVAL', 'GATINEAU', 'LONGUEUIL', 'SHERBROOKE', 'TROIS RIVIERES'],
    ...['CALGARY', 'EDMONTON', 'RED DEER', 'LETHBRIDGE', 'VANCOUVER', 'SURREY', 'BURNABY', 'KELOWNA', 'KAMLOOPS'],
    ...[
      'WINNIPEG',
      'BRANDON',
      'REGINA',
      'SASKATOON',
      'MOOSE JAW',
      'HALIFAX',
      'MONCTON',
      'FREDERICTON',
      'CHARLOTTETOWN',
    ],
    ...[
      'ST JOHNS',
      'WHITEHORSE',
      'YELLOWKNIFE',
      'IQALUIT',
      'NEW YORK',
      'NEW YORK CITY',
      'CHICAGO',
      'DETROIT',
      'SEATTLE',
    ],
    ...['BOSTON', 'LOS ANGELES', 'SAN FRANCISCO', 'PARIS FRANCE', 'LONDON ENGLAND'],
  ].map((name) => name.replaceAll(' ', '')),
);
