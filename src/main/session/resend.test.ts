import { describe, expect, test } from 'vitest';
import { answered, invocation, refused } from './invocation.fixture.ts';
import { amendResent, mayResend, workerLost } from './call.ts';

describe('after the death of a worker', () => {
  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])('%s may be sent again', (method) => {
    expect(mayResend(invocation({ method }))).toBe(true);
  });

  test.each(['POST', 'PATCH', 'PROPPATCH'])('%s may not', (method) => {
    expect(mayResend(invocation({ method }))).toBe(false);
  });

  test('what may not be sent again says that it may have been applied', () => {
    expect(workerLost(invocation({ action: 'add', method: 'POST' }))).toEqual({
      kind: 'failed',
      failure: {
        code: 'worker-lost',
        message: expect.stringContaining("'add': the POST may have been applied"),
      },
      answer: null,
      request: null,
    });
  });
});

describe('the answer to what was sent again', () => {
  const removal = invocation({ method: 'DELETE' });

  test.each([404, 410])('a %i to a DELETE is its success', (status) => {
    expect(amendResent(removal, refused(status))).toEqual(
      answered(null, {
        answer: { status, headers: [['X-One', '1']], body: { kind: 'value', value: null } },
      }),
    );
  });

  test.each([400, 403, 409, 500])('a %i to a DELETE is its failure', (status) => {
    expect(amendResent(removal, refused(status))).toEqual(refused(status));
  });

  test.each(['GET', 'PUT'])('a 404 to a %s is its failure', (method) => {
    expect(amendResent(invocation({ method }), refused(404))).toEqual(refused(404));
  });

  test('an answer is left as it is', () => {
    expect(amendResent(removal, answered('gone'))).toEqual(answered('gone'));
  });

  test('a failure without an answer is left as it is', () => {
    const lost = workerLost(removal);
    expect(amendResent(removal, lost)).toBe(lost);
  });
});
