/** For every answer. */
export const ALWAYS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

/** What the page may load: its own files and nothing else. */
export const PAGE_POLICY: string = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

/** An answer of the API opened by itself runs nothing; a picture may style itself. */
export const API_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
