/** The build for browsers that have modules, half as large as the one for ES5, which packages get by default. */
declare module 'workbox-window/build/workbox-window.prod.mjs' {
  export { messageSW, Workbox } from 'workbox-window';
}
