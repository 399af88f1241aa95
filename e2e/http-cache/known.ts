/** The tests of the suite that fail, and why. The first pattern that fits counts. */
const REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/(Set-Cookie|Set-Cookie2|Clear-Site-Data)$/, 'A browser shows this header to no page and no worker.'],
  [
    /^cc-resp-immutable-stale$/,
    'fetch sends Cache-Control: no-cache where it bypasses the cache of the browser.',
  ],
  [/^stale-close-/, 'Where the network fails, a call fails, which the suite takes for a failure of its own.'],
  [/^other-cookie$/, 'A browser sets Cookie by itself.'],
  [
    /^304-etag-update-response-Content-Type$/,
    'The stored body keeps its type: servers say another one with a 304.',
  ],
  [
    /^304-etag-update-response-ETag$/,
    'A 304 with another ETag is about another answer, so the whole is asked for.',
  ],
  [
    /^age-parse-prefix$/,
    'Several ages count as any age, as the name of the test says and its expectation does not.',
  ],
  [/^partial-/, 'Parts that servers send are not stored, so nothing is made of them.'],
  [
    /^invalidate-.*-failed$/,
    'A write that is answered with 500 may have been done, so what is stored is outdated.',
  ],
  [/^method-POST$/, 'Only answers to GET are stored.'],
  [
    /^vary-normalise-lang-select$/,
    'Which of several languages its server would have chosen is not guessed from the answer to another list.',
  ],
];

/** Why a test fails; null where it is to pass. */
export function reasonOf(test: string): string | null {
  return REASONS.find(([pattern]) => pattern.test(test))?.[1] ?? null;
}
