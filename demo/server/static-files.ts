import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { Problem } from './problem.ts';
import { unlessHeld } from './reply.ts';
import type { Reply } from './reply.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
};

/** Serves the built demo; `/` is its index.html. */
export function createStaticFiles(
  folder: string,
): (pathname: string, ifNoneMatch: string | undefined) => Promise<Reply> {
  return async (pathname, ifNoneMatch) => {
    const path = await locate(folder, pathname);
    const content = path === null ? null : await readFile(path).catch(() => null);
    if (path === null || content === null) throw new Problem(404, `There is nothing at ${pathname}.`);
    return unlessHeld(ifNoneMatch, {
      status: 200,
      headers: {
        'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
        'Cache-Control': cacheControl(pathname),
        ETag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`,
      },
      body: content,
    });
  };
}

/** Files under assets/ carry the hash of their content in their names; all others are asked about every time. */
function cacheControl(pathname: string): string {
  return pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** The real path of a file inside the folder, links resolved; null for anything else. */
async function locate(folder: string, pathname: string): Promise<string | null> {
  const relative = decode(pathname === '/' ? '/index.html' : pathname);
  if (relative === null || relative.includes('\0') || /(?:^|[\\/])\./.test(relative)) return null;
  const root = await realpath(folder).catch(() => null);
  const path = root === null ? null : await realpath(join(root, relative)).catch(() => null);
  if (root === null || path === null || !path.startsWith(root + sep)) return null;
  return (await stat(path)).isFile() ? path : null;
}

function decode(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
