/** The data set that holds the areas of conservation authorities. */
export const authorityAreas = 'ca_admin_areas';
