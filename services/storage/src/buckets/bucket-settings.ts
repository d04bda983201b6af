import { HoldfastError } from '@holdfast/foundation'
import { parseConfiguredSize } from '../request/file-size.ts'
import { requireMimeTypes } from '../request/mime-type.ts'
import { requireNewBucketName } from '../request/names.ts'

/** A bucket in the settings. Omitted properties keep their current values. */
export interface BucketSettings {
  readonly name: string
  readonly isPublic: boolean | undefined
  readonly fileSizeLimit: number | undefined
  readonly allowedMimeTypes: readonly string[] | undefined
  /** Folder whose files are uploaded to the bucket. */
  readonly objectsPath: string | undefined
}

/** Keys of `[storage.buckets.NAME]` in Supabase's `config.toml`. */
const SETTINGS: ReadonlySet<string> = new Set(['public', 'file_size_limit', 'allowed_mime_types', 'objects_path'])

const HINT =
  'Write {"avatars": {"public": true, "file_size_limit": "5MiB", "allowed_mime_types": ["image/*"], "objects_path": "./avatars"}}.'

const SIZE_HINT =
  'Raise storageFileSizeLimit (file_size_limit under [storage] in config.toml), or lower the bucket’s limit.'

/**
 * Parses the buckets in the settings.
 *
 * @param sizeMax - global file size limit in bytes
 * @throws {HoldfastError} `option_invalid`, naming the bucket and the setting
 */
export function parseBucketSettings(
  value: Readonly<Record<string, unknown>>,
  sizeMax: number,
): readonly BucketSettings[] {
  return Object.entries(value).map(([name, one]) => {
    const invalid = (problem: string, cause?: unknown, hint = HINT): HoldfastError =>
      new HoldfastError('option_invalid', 500, `storageBuckets: "${name}" ${problem}.`, { hint, cause })
    attempt(
      () => requireNewBucketName(name),
      (cause) => invalid('is not a valid bucket name', cause),
    )
    if (typeof one !== 'object' || one === null || Array.isArray(one)) throw invalid('has no settings in braces')
    const settings = one as Readonly<Record<string, unknown>>
    const unknown = Object.keys(settings).find((key) => !SETTINGS.has(key))
    if (unknown !== undefined) throw invalid(`has an unknown setting, "${unknown}"`)
    const { public: isPublic, file_size_limit: limit, allowed_mime_types: types, objects_path: path } = settings
    if (isPublic !== undefined && typeof isPublic !== 'boolean') throw invalid('has a public that is not true or false')
    if (path !== undefined && (typeof path !== 'string' || path === '')) throw invalid('has an invalid objects_path')
    const bytes = limit === undefined ? undefined : parseConfiguredSize(String(limit))
    if (limit !== undefined && bytes === undefined) throw invalid('has an invalid file_size_limit')
    if (bytes !== undefined && bytes > sizeMax)
      throw invalid('has a file_size_limit above storageFileSizeLimit', undefined, SIZE_HINT)
    if (types !== undefined && !isTexts(types)) throw invalid('has allowed_mime_types that are not a list of strings')
    attempt(
      () => requireMimeTypes(types ?? []),
      (cause) => invalid('allows an invalid type', cause),
    )
    return { name, isPublic, fileSizeLimit: bytes, allowedMimeTypes: types, objectsPath: path }
  })
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function attempt(body: () => void, refusal: (cause: unknown) => Error): void {
  try {
    body()
  } catch (cause) {
    throw refusal(cause)
  }
}
