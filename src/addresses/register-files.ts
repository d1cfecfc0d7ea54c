/** The register's number of the province, in its file names and in `PROV_CODE`. */
export const ONTARIO = '35';

/** Kinds of the register's files, by the folder that each kind stands in. */
export const registerFolders = { Address: 'Addresses', Location: 'Locations' } as const;

export type RegisterFileKind = keyof typeof registerFolders;

/** "Address_35_part_1.csv", "Address_35.csv". */
export function isOntarioFile(name: string, kind: RegisterFileKind): boolean {
  return new RegExp(`^${kind}_${ONTARIO}(_part_\\d+)?\\.csv$`, 'i').test(name);
}
