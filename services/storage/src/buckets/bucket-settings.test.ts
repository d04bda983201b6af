import { describe, expect, test } from 'vitest'
import { parseBucketSettings } from './bucket-settings.ts'

const MAX = 50 * 1024 * 1024

describe('buckets of the settings', () => {
  test('are read as config.toml has them', () => {
    const value = {
      avatars: {
        public: true,
        file_size_limit: '5MiB',
        allowed_mime_types: ['image/png', 'image/*'],
        objects_path: './avatars',
      },
      plain: {},
    }
    expect(parseBucketSettings(value, MAX)).toEqual([
      {
        name: 'avatars',
        isPublic: true,
        fileSizeLimit: 5_242_880,
        allowedMimeTypes: ['image/png', 'image/*'],
        objectsPath: './avatars',
      },
      {
        name: 'plain',
        isPublic: undefined,
        fileSizeLimit: undefined,
        allowedMimeTypes: undefined,
        objectsPath: undefined,
      },
    ])
  })

  test.each([
    [{ 'a/b': {} }, 'is not a valid bucket name'],
    [{ a: true }, 'has no settings'],
    [{ a: { pubic: true } }, 'unknown setting, "pubic"'],
    [{ a: { public: 'yes' } }, 'public'],
    [{ a: { file_size_limit: 'large' } }, 'file_size_limit'],
    [{ a: { file_size_limit: '1GiB' } }, 'above storageFileSizeLimit'],
    [{ a: { allowed_mime_types: 'image/png' } }, 'allowed_mime_types'],
    [{ a: { allowed_mime_types: ['no type'] } }, 'allows an invalid type'],
    [{ a: { objects_path: '' } }, 'objects_path'],
  ])('%j are refused', (value, problem) => {
    expect(() => parseBucketSettings(value, MAX)).toThrow(problem)
  })

  test('one that takes more than any file may have says which limits to change', () => {
    expect(() => parseBucketSettings({ a: { file_size_limit: '1GiB' } }, MAX)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Raise storageFileSizeLimit') as string }),
    )
  })
})
