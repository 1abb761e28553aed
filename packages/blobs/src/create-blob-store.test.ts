import { expect, it } from 'vitest';
import { s3LocationOf } from './create-blob-store.ts';

const KEYS = { GALLEY_S3_KEY: 'key', GALLEY_S3_SECRET: 'secret' };

it('reads a bucket out of the settings, and none where none is set', () => {
  expect(s3LocationOf({})).toBeUndefined();
  expect(s3LocationOf({ GALLEY_S3_URL: 'https://s3.example/galley/', ...KEYS })).toEqual({
    url: 'https://s3.example/galley',
    region: 'us-east-1',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
  });
  expect(s3LocationOf({ GALLEY_S3_URL: 'http://127.0.0.1:9000/galley/a/b', GALLEY_S3_REGION: 'eu-west-1', ...KEYS })).toMatchObject({
    url: 'http://127.0.0.1:9000/galley/a/b',
    region: 'eu-west-1',
  });
});

it.each([
  [{ GALLEY_S3_URL: 'https://s3.example/galley' }, /needs GALLEY_S3_KEY and GALLEY_S3_SECRET/],
  [{ GALLEY_S3_URL: 's3://galley', ...KEYS }, /GALLEY_S3_URL is "s3:\/\/galley"; it takes https/],
  [{ GALLEY_S3_URL: 'https://key:secret@s3.example/galley', ...KEYS }, /it takes https/],
  [{ GALLEY_S3_URL: 'https://s3.example', ...KEYS }, /it takes https/],
  [KEYS, /GALLEY_S3_KEY is set and GALLEY_S3_URL is not/],
])('refuses %j with a sentence', (settings, sentence) => {
  expect(() => s3LocationOf(settings)).toThrow(sentence);
});
