/** The partition of all that is stored while nobody is signed in. */
export const NOBODY = 'default';
