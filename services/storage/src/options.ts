import { flag, HoldfastError, type OptionDeclarations, type OptionValues, settings, text } from '@holdfast/foundation'
import type { S3Settings } from './backend/s3-store.ts'
import { S3_SILENCE_MS } from './limits.ts'
import { parseConfiguredSize } from './request/file-size.ts'

/** Settings of file storage, named as in `[storage]` of Supabase's `config.toml`. */
export const storageOptions = {
  storageEnabled: flag('Whether file storage is served, at `/storage/v1`.', { default: true }),
  storageFileSizeLimit: text('Maximum file size, such as `50MiB` or `2GB`. Buckets may have lower limits.', {
    default: '50MiB',
  }),
  storageBuckets: settings(
    'Buckets created or updated at the start, by name, each with `public`, `file_size_limit`, `allowed_mime_types` and `objects_path` (a folder whose files it gets); `[storage.buckets.NAME]` in `config.toml`.',
    { default: {} },
  ),
  storageS3ProtocolEnabled: flag('Whether the S3 protocol is served, at `/storage/v1/s3`.', { default: true }),
  storageS3ProtocolRegion: text(
    'Region reported to S3 clients. Requests signed for another region are accepted, too.',
    { default: 'local' },
  ),
  storageS3Bucket: text('Bucket of an S3-compatible store for all files. Default: files are kept in the data folder.'),
  storageS3Endpoint: text(
    "Endpoint of that store, such as `https://s3.example.com`. Default: Amazon's endpoint for the region.",
  ),
  storageS3Region: { type: 'string', default: 'us-east-1', description: 'The region of the bucket.' },
  storageS3AccessKeyId: text(
    'Access key of that store. Default: the machine’s credentials, such as the role of an EC2 instance.',
  ),
  storageS3SecretAccessKey: { type: 'string', secret: true, description: 'The secret of that access key.' },
  storageS3ForcePathStyle: flag('Whether URLs name the bucket in the path instead of the host.', { default: true }),
  storageS3Prefix: text('Prefix of all object names in the bucket, such as `holdfast/`.', { default: '' }),
  storageImageTransformationEnabled: flag('Whether images are resized and converted, at `/storage/v1/render/image`.', {
    default: true,
  }),
  storageImageCacheSize: text('Maximum size of the cache of rendered images, such as `512MiB`; `0` disables it.', {
    default: '512MiB',
  }),
} satisfies OptionDeclarations

export type StorageOptions = OptionValues<typeof storageOptions>

/**
 * Returns a size setting in bytes.
 *
 * @throws {HoldfastError} `option_invalid`
 */
export function sizeOption(options: StorageOptions, name: 'storageFileSizeLimit' | 'storageImageCacheSize'): number {
  const bytes = parseConfiguredSize(options[name])
  if (bytes !== undefined) return bytes
  throw new HoldfastError('option_invalid', 500, `${name}: "${options[name]}" is not a file size.`, {
    hint: 'Write a number with a unit, such as 50MiB or 2GB.',
  })
}

/**
 * Returns the configured S3-compatible store, if any.
 *
 * @throws {HoldfastError} `option_invalid`
 */
export function s3SettingsOf(options: StorageOptions): S3Settings | undefined {
  const { storageS3Bucket: bucket, storageS3AccessKeyId: accessKeyId, storageS3Prefix: prefix } = options
  const { storageS3SecretAccessKey: secretAccessKey, storageS3Endpoint: endpoint } = options
  if (bucket === undefined || bucket === '') return undefined
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw invalidOption('storageS3AccessKeyId', 'and storageS3SecretAccessKey go together.', 'Give both, or neither.')
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw invalidOption('storageS3Endpoint', `"${endpoint}" is no address.`, 'Write one as https://s3.example.com.')
  if (!/^[A-Za-z0-9_./-]{0,200}$/.test(prefix))
    throw invalidOption('storageS3Prefix', `"${prefix}" is no prefix.`, 'Use letters, digits and . _ - / only.')
  return {
    endpoint,
    bucket,
    region: options.storageS3Region,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
    forcePathStyle: options.storageS3ForcePathStyle,
    silenceMs: S3_SILENCE_MS,
  }
}

function invalidOption(name: string, problem: string, hint: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, `${name}: ${problem}`, { hint })
}
