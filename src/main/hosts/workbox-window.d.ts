/** The build for browsers with modules, half as large as the ES5 build that packages get by default. */
declare module 'workbox-window/build/workbox-window.prod.mjs' {
  export { messageSW, Workbox } from 'workbox-window';
}
