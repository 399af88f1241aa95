/** Made by the build (demo/vite.ts) from the files that it has just written. */
declare module 'app-shell' {
  /** New whenever any of the files is. */
  export const version: string;
  /** What the app needs to open without a network, as paths. */
  export const files: readonly string[];
}
