import type { Invocation, Params, Policy } from '../../shared/invocation.ts';

const policy: Policy = {
  timeout: 30_000,
  retry: 0,
  answerSize: 67_108_864,
  credentials: 'same-origin',
  mode: 'cors',
  cache: 'default',
  revalidate: false,
  origins: [],
  secretHeaders: [],
};

/** A GET from a page at https://page.example/app/index.html, whose own API lives on the same origin. */
export function invocation(
  template: string,
  params: Params = [],
  rest: Partial<Invocation> & { readonly origins?: readonly string[] } = {},
): Invocation {
  const { origins = [], ...changes } = rest;
  return {
    action: 'get',
    method: 'GET',
    template,
    baseUrl: '',
    documentUrl: 'https://page.example/app/index.html',
    params,
    headers: [],
    body: { kind: 'none' },
    policy: { ...policy, origins },
    ...changes,
  };
}
