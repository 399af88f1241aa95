import { describe, expect, test } from 'vitest';
import type { Failure } from '../../shared/failure.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
import { call } from './notice.fixture.ts';
import { progressNotice, sentNotice, settledNotice, startedNotice } from './notice.ts';

const BLANK = {
  action: 'get',
  id: 7,
  response: null,
  status: 0,
  servedFrom: null,
  stale: false,
  age: 0,
  changed: false,
  revision: null,
  error: null,
  progress: null,
  isPreliminary: false,
};

describe('on the way of a call', () => {
  test('it is told that it started', () => {
    const notice = startedNotice(call(7, { data: { a: 1 } }));
    expect(notice).toMatchObject({ ...BLANK, type: 'started', phase: 'opened' });
    expect(notice.request).toMatchObject({
      method: 'GET',
      url: '/photo/{id}',
      params: { id: 1 },
      data: { a: 1 },
    });
    expect([...notice.headers(), ...notice.request.headers]).toEqual([]);
  });

  test('it is told that headers arrived', () => {
    const notice = sentNotice(call(7), 200, [['X-One', '1']]);
    expect(notice).toMatchObject({ ...BLANK, type: 'sent', phase: 'sent', status: 200 });
    expect(notice.headers().get('x-one')).toBe('1');
  });

  test('it is told how much there is', () => {
    const progress = { loaded: 1, total: null };
    expect(progressNotice(call(7), progress)).toMatchObject({
      ...BLANK,
      type: 'progress',
      phase: 'loading',
      progress,
    });
  });
});

describe('an answer', () => {
  test('is told with all that is known of it', () => {
    const revision = { lineage: 'a', number: 3 };
    const told = { servedFrom: 'cache', stale: true, age: 5, changed: false, revision } as const;
    const request = { method: 'GET', url: 'https://page.example/photo/1', headers: [['A', '1']] } as const;
    const answer = { status: 203, headers: [['X-One', '1']], body: { kind: 'value', value: [1] } } as const;
    const notice = settledNotice(call(7), answered(null, { ...told, request, answer }));
    expect(notice).toMatchObject({
      ...BLANK,
      ...told,
      type: 'success',
      phase: 'success',
      status: 203,
      response: [1],
    });
    expect(notice.headers().get('x-one')).toBe('1');
    expect(notice.request).toMatchObject({ url: request.url, params: { id: 1 } });
    expect(notice.request.headers.get('a')).toBe('1');
  });

  test('of bytes is a Blob of its type', async () => {
    const bytes = new Uint8Array([1, 2]).buffer;
    const answer = { status: 200, headers: [], body: { kind: 'bytes', bytes, type: 'image/png' } } as const;
    const { response } = settledNotice(call(7), answered(null, { answer }));
    expect(response).toBeInstanceOf(Blob);
    expect(response).toMatchObject({ size: 2, type: 'image/png' });
  });

  test('may repeat a header', () => {
    const answer = { ...answered().answer, headers: [['Link', 'a'] as const, ['Link', 'b'] as const] };
    expect(settledNotice(call(7), answered(null, { answer })).headers().get('link')).toBe('a, b');
  });
});

describe('a failure', () => {
  test.each<[Failure['code'], string, Failure]>([
    ['aborted', 'abort', { code: 'aborted', message: 'm' }],
    ['timeout', 'timeout', { code: 'timeout', message: 'm', timeout: 1 }],
    ['network', 'error', { code: 'network', message: 'm' }],
    ['worker-lost', 'error', { code: 'worker-lost', message: 'm' }],
  ])('of code %s has the phase %s', (code, phase, failure) => {
    const notice = settledNotice(call(7), { kind: 'failed', failure, answer: null, request: null });
    expect(notice).toMatchObject({ ...BLANK, error: { code, message: 'm' }, type: 'error', phase });
    expect(notice.request.url).toBe('/photo/{id}');
  });

  test('with an answer is told with it', () => {
    const notice = settledNotice(call(7), refused(404));
    expect(notice).toMatchObject({
      type: 'error',
      phase: 'statusError',
      status: 404,
      response: 'no',
      error: { code: 'http', failure: { status: 404, body: 'no' } },
      request: { url: 'https://page.example/photo' },
    });
    expect(notice.headers().get('x-one')).toBe('1');
  });

  test('has the reason of an abort for its cause', () => {
    const failure: Failure = { code: 'aborted', message: 'm' };
    const outcome = { kind: 'failed', failure, answer: null, request: null } as const;
    const reason = new Error('changed my mind');
    expect(settledNotice(call(7), outcome, reason).error?.cause).toBe(reason);
    expect(settledNotice(call(7), outcome).error?.cause).toBeUndefined();
  });
});
