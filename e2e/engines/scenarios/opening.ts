import type { Resource } from 'offstage';

/**
 * How most scenarios open: with a worker that answers, and a resource. Their loops say `hidden: 'continue'`, for an
 * engine may hide one page while another is shown.
 */
export async function connected(): Promise<{ readonly photo: Resource }> {
  const { connect, Resource } = window.offstage;
  await connect({ serviceWorker: '/service-worker.js' }).ready;
  const photo = new Resource({
    get: { method: 'GET', url: '/photo/{id}' },
    post: { method: 'POST', url: '/photo/{id}' },
    held: { method: 'GET', url: '/hold?key={key}' },
    add: { method: 'POST', url: '/hold?key={key}' },
    versioned: { method: 'GET', url: '/etag' },
    binary: { method: 'GET', url: '/binary' },
  });
  return { photo };
}

/** The bytes of an answer that came as a Blob. */
export async function bytesOf(answer: unknown): Promise<number[]> {
  if (!(answer instanceof Blob)) throw new Error(`The answer is ${String(answer)}, not a Blob`);
  return [...new Uint8Array(await answer.arrayBuffer())];
}
