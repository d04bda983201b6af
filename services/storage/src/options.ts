import { HoldfastError, type OptionDeclarations, type OptionValues } from '@holdfast/foundation'
import type { S3Settings } from './backend/s3-store.ts'
import { S3_SILENCE_MS } from './limits.ts'
import { parseConfiguredSize } from './request/file-size.ts'

/** Settings of file storage, named as in `[storage]` of Supabase's `config.toml`. */
export const storageOptions = {
  storageEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether files are stored and served, below `/storage/v1`.',
  },
  storageFileSizeLimit: {
    type: 'string',
    default: '50MiB',
    description: 'The largest file that may be uploaded, such as `50MiB` or `2GB`. A bucket may have a lower limit.',
  },
  storageBuckets: {
    type: 'object',
    default: {},
    description:
      'Buckets that are made or changed at the start, by name, each with `public`, `file_size_limit`, `allowed_mime_types` and `objects_path`, a folder whose files it gets; as `[storage.buckets.NAME]` in `config.toml`.',
  },
  storageS3ProtocolEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether S3 clients may use the files, at `/storage/v1/s3`.',
  },
  storageS3ProtocolRegion: {
    type: 'string',
    default: 'local',
    description: 'The region that S3 clients are told. Those that sign for another one are let in, too.',
  },
  storageS3Bucket: {
    type: 'string',
    description:
      'The bucket of an S3-compatible store that keeps the bytes of all files. Default: they are in the data folder.',
  },
  storageS3Endpoint: {
    type: 'string',
    description: "The address of that store, such as `https://s3.example.com`. Default: Amazon's of the region.",
  },
  storageS3Region: { type: 'string', default: 'us-east-1', description: 'The region of the bucket.' },
  storageS3AccessKeyId: {
    type: 'string',
    description: 'The access key of that store. Default: what the machine has, such as the role of an EC2 instance.',
  },
  storageS3SecretAccessKey: { type: 'string', secret: true, description: 'The secret of that access key.' },
  storageS3ForcePathStyle: {
    type: 'boolean',
    default: true,
    description: 'Whether the bucket is in the path of an address, and not in its host.',
  },
  storageS3Prefix: {
    type: 'string',
    default: '',
    description: 'What the names of all objects in the bucket begin with, such as `holdfast/`.',
  },
  storageImageTransformationEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether images are served in other sizes and formats, below `/storage/v1/render/image`.',
  },
  storageImageCacheSize: {
    type: 'string',
    default: '512MiB',
    description: 'How much place drawn images may take in the data folder, such as `512MiB`; `0` keeps none.',
  },
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
  throw new HoldfastError('option_invalid', 500, `${name}: "${options[name]}" is not the size of a file.`, {
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
