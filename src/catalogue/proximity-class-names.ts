/** From the nearest class outwards. */
export const proximityClasses = ['inside', 'regulated', 'adjacent', 'outside'] as const;
export type ProximityClass = (typeof proximityClasses)[number];
