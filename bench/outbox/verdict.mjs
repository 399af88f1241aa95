// What this library has to reach, of what was counted.

import { brief, medianOf } from '../figures.mjs';

/** How many times as long Workbox takes to send what waits, at the least. */
const FASTER = 2.5;

/**
 * One browser's writes under one circumstance. `waiting`: stored still at the end; `drain`: milliseconds.
 *
 * @typedef {object} Sample
 * @property {string} library
 * @property {string} scenario
 * @property {number} count
 * @property {number} lanes
 * @property {number} stops
 * @property {number} accepted
 * @property {number} waiting
 * @property {number} lost
 * @property {number} twice
 * @property {number} repeated
 * @property {number} requests
 * @property {number} drain
 * @property {number} cpu Milliseconds a write.
 */

/**
 * Where ours falls short, and where a run says nothing.
 *
 * @param {readonly Sample[]} samples
 * @param {string} scenario The one whose drain time counts.
 * @returns {string[]}
 */
export function shortfalls(samples, scenario) {
  const ours = samples.filter(({ library }) => library.startsWith('Offstage'));
  return [...ours.flatMap(wrongIn), ...slowIn(samples, scenario)];
}

/** @param {Sample} sample */
function wrongIn({ library, scenario, count, lanes, stops, accepted, waiting, lost, twice, repeated }) {
  const where = `${library}, ${scenario}`;
  return [
    ...(accepted === count ? [] : [`${where}: ${accepted} of ${count} writes were accepted.`]),
    ...(lost === 0 ? [] : [`${where}: ${lost} writes were lost.`]),
    ...(waiting === 0 ? [] : [`${where}: ${waiting} writes have not arrived.`]),
    ...(twice === 0 ? [] : [`${where}: ${twice} writes had more than one effect.`]),
    ...(repeated <= lanes * stops ? [] : [`${where}: ${repeated} repeated requests with ${stops} stops.`]),
  ];
}

/**
 * @param {readonly Sample[]} samples
 * @param {string} scenario
 */
function slowIn(samples, scenario) {
  const times = medianOf(samples, { library: 'Workbox', scenario }, 'drain');
  const ratio = times / medianOf(samples, { library: 'Offstage', scenario }, 'drain');
  return ratio >= FASTER ? [] : [`Workbox takes ${brief(ratio)} times as long as ours, not ${FASTER}.`];
}
