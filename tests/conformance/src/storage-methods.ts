import { createClient } from '@supabase/supabase-js'

function ownFunctions(prototype: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor' && !name.startsWith('_'))
    .map(([name]) => name)
}

/** Functions of the classes that are not for apps: private in TypeScript. */
const NOT_FOR_APPS = new Set([
  'file.uploadOrUpdate',
  'file.prepareUploadFormData',
  'file.encodeMetadata',
  'file.toBase64',
  'file.applyTransformOptsToQuery',
  'bucket.listBucketOptionsToQueryString',
  'bucket.bucketLifecycleUrl',
])

/** Every method that an app can call for files, as the classes of the client have them: `bucket.createBucket`, `file.upload`. */
export function storageMethods(): string[] {
  const { storage } = createClient('http://127.0.0.1:9', 'key', { auth: { persistSession: false } })
  const buckets = Object.getPrototypeOf(Object.getPrototypeOf(storage)) as object
  const files = Object.getPrototypeOf(storage.from('x')) as object
  return [
    ...ownFunctions(buckets).map((name) => `bucket.${name}`),
    ...ownFunctions(files).map((name) => `file.${name}`),
  ].filter((name) => !NOT_FOR_APPS.has(name))
}
