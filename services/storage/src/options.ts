import { HoldfastError, type OptionDeclarations, type OptionValues } from '@holdfast/foundation'
import { parseConfiguredSize } from './request/file-size.ts'

/** Settings of file storage, named as `[storage]` in Supabase's `config.toml`. */
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
} satisfies OptionDeclarations

export type StorageOptions = OptionValues<typeof storageOptions>

/**
 * The largest file in bytes.
 *
 * @throws {HoldfastError} `option_invalid`
 */
export function fileSizeLimitOf(options: Pick<StorageOptions, 'storageFileSizeLimit'>): number {
  const bytes = parseConfiguredSize(options.storageFileSizeLimit)
  if (bytes !== undefined) return bytes
  throw new HoldfastError(
    'option_invalid',
    500,
    `storageFileSizeLimit: "${options.storageFileSizeLimit}" is not the size of a file.`,
    { hint: 'Write a number with a unit, such as 50MiB or 2GB.' },
  )
}
