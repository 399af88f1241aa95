/**
 * What the last outcome of a request to an origin was: an answer (`reachable`), none (`unreachable`), or one of a
 * gateway without its server (`failing`: 502, 503, 504). An origin of which nothing is known has none.
 */
export type OriginStatus = 'reachable' | 'unreachable' | 'failing';
