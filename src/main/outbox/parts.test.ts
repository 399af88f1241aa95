import { expect, test } from 'vitest';
import { formOf } from './parts.ts';

async function sent(form: FormData): Promise<{ bytes: ArrayBuffer; type: string }> {
  const response = new Response(form);
  return { bytes: await response.arrayBuffer(), type: response.headers.get('content-type') ?? '' };
}

test('a form is an object of its fields: texts, files, and lists of what repeats', async () => {
  const form = new FormData();
  form.append('title', 'Dusk\r\n\r\n--not the end');
  form.append('tag', 'a');
  form.append('tag', 'b');
  form.append('a "name"', '');
  form.append('__proto__', 'x');
  form.append('mark', '\uFEFFx');
  form.append(
    'picture',
    new File([new Uint8Array([0, 13, 10, 45, 45, 255])], 'dusk "1".png', { type: 'image/png' }),
  );
  const { bytes, type } = await sent(form);
  const made = formOf(bytes, type) ?? {};
  const { picture, ...texts } = made;
  expect(Object.entries(texts)).toEqual([
    ['title', 'Dusk\r\n\r\n--not the end'],
    ['tag', ['a', 'b']],
    ['a "name"', ''],
    ['__proto__', 'x'],
    ['mark', '\uFEFFx'],
  ]);
  expect(picture).toMatchObject({ name: 'dusk "1".png', type: 'image/png' });
  const back = picture instanceof File ? new Uint8Array(await picture.arrayBuffer()) : null;
  expect(back).toEqual(new Uint8Array([0, 13, 10, 45, 45, 255]));
});

test('an empty form has no fields', async () => {
  const { bytes, type } = await sent(new FormData());
  expect(formOf(bytes, type)).toEqual({});
});

test.each([
  ['no type', null],
  ['another type', 'text/plain; boundary=x'],
  ['no boundary', 'multipart/form-data'],
  ['another boundary', 'multipart/form-data; boundary=other'],
])('bytes with %s are none', async (_case, type) => {
  const form = new FormData();
  form.append('title', 'Dusk');
  const { bytes } = await sent(form);
  expect(formOf(bytes, type)).toBeNull();
});
