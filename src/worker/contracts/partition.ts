/** The first partition: nobody's, until somebody signs in. */
export const FIRST = 'default';
