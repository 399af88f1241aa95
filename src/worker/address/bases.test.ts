import { expect, test } from 'vitest';
import { invocation } from './invocation.fixture.ts';
import { invalidatedBy, isBelow } from './expansion.ts';

/** Of these URLs, those that are below the base of the template. */
function below(template: string, baseUrl: string, ...urls: readonly string[]): string[] {
  const made = invocation('/photo', [], { baseUrl });
  const bases = invalidatedBy({ ...made, policy: { ...made.policy, invalidates: [template] } });
  return urls.filter((url) => bases.some((base) => isBelow(url, base)));
}

const HOST = 'https://page.example';

test.each<[string, string, readonly string[], readonly string[]]>([
  ['/photo/{id}', '', ['/photo/1', '/photo/1/medium', '/photo/?x'], ['/photo', '/photos', '/other']],
  ['/photos{?page}', '', ['/photos', '/photos?page=2'], ['/photo']],
  ['/photos', '', ['/photos', '/photos?page=2'], ['/photos/1', '/photos2', '/photo']],
  ['/photos', '/api', ['/api/photos'], ['/photos']],
  ['{id}', '/api', ['/api/1'], ['/ap', '/other/1']],
  ['/a/../b/{id}', '', ['/b/1'], ['/a/1']],
])('%s below %j covers %j, and not %j', (template, baseUrl, covered, others) => {
  const urls = [...covered, ...others].map((path) => HOST + path);
  expect(below(template, baseUrl, ...urls)).toEqual(covered.map((path) => HOST + path));
});

test('a template of another origin covers what is there', () => {
  const urls = ['https://api.example/1', `${HOST}/1`];
  expect(below('https://api.example/{id}', '', ...urls)).toEqual(['https://api.example/1']);
});
