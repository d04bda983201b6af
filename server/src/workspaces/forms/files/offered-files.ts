import { HoldfastError } from '@holdfast/foundation'

/** An id as clients make and send it. */
export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const NAME_CHARS_MAX = 200
const MEDIA_TYPE = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,99}$/
const MEGABYTE = 1_048_576

/** All files of an answer in MB, as `holdfast.form_limit` says. */
const ANSWER_MB_MAX = 100

/** Types of photos that browsers show. */
const PHOTOS = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/heic', 'image/heif', 'image/avif'])

/** Types that browsers run. Nobody needs them from strangers, so members download them. */
const ACTIVE = /html|xml|svg|script|pdf-xfa|multipart/

/** What a question takes. */
export interface FileRules {
  readonly max: number
  readonly megabytes: number
  readonly kinds: 'any' | 'photos'
}

/** A question of a form, of which only files matter here. */
export interface FileQuestion {
  readonly field: string
  readonly label?: string
  readonly kind?: string
  readonly files?: FileRules
}

/** A file that a visitor wants to send. */
export interface OfferedFile {
  readonly id: string
  readonly field: string
  readonly name: string
  readonly media_type: string
  /** In bytes. */
  readonly size: number
}

/**
 * Reads the files that a visitor offers, and compares them with the questions.
 *
 * @throws {HoldfastError} `invalid_request`, 400; `file_refused`, 422, with what to do
 */
export function parseOfferedFiles(given: unknown, questions: readonly FileQuestion[]): readonly OfferedFile[] {
  if (!Array.isArray(given) || given.length === 0) throw invalid()
  const files = given.map(parseFile)
  if (new Set(files.map(({ id }) => id)).size < files.length) throw invalid()
  for (const { field, name, media_type: type, size } of files) {
    const question = questions.find((one) => one.field === field && one.kind === 'files')
    const rules = question?.files
    if (!rules) throw invalid()
    if (files.filter((one) => one.field === field).length > rules.max)
      throw refused(`${question.label ?? field} takes ${rules.max} files at most.`)
    if (size > rules.megabytes * MEGABYTE) throw refused(`${name} is larger than ${rules.megabytes} MB.`)
    if (rules.kinds === 'photos' && !PHOTOS.has(type)) throw refused(`${name} is not a photo.`)
  }
  if (files.reduce((sum, { size }) => sum + size, 0) > ANSWER_MB_MAX * MEGABYTE)
    throw refused(`An answer takes files of ${ANSWER_MB_MAX} MB at most.`)
  return files
}

function parseFile(given: unknown): OfferedFile {
  const { id, field, name, type, size } = (given ?? {}) as Readonly<Record<string, unknown>>
  const isValid =
    typeof id === 'string' &&
    UUID.test(id) &&
    typeof field === 'string' &&
    typeof name === 'string' &&
    typeof type === 'string' &&
    Number.isSafeInteger(size) &&
    Number(size) > 0
  if (!isValid) throw invalid()
  return { id, field, name: cleanName(name), media_type: cleanType(type), size: Number(size) }
}

/** Removes folders and characters that are not shown. The end of a long name stays, because it says the type. */
function cleanName(name: string): string {
  const plain = name
    .replace(/^.*[/\\]/s, '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
  return plain === '' ? 'file' : [...plain].slice(-NAME_CHARS_MAX).join('')
}

function cleanType(type: string): string {
  const plain = type.toLowerCase().split(';', 1)[0]?.trim() ?? ''
  return MEDIA_TYPE.test(plain) && !ACTIVE.test(plain) ? plain : 'application/octet-stream'
}

/** Bytes that {@link isWhatItSays} needs. */
export const HEAD_BYTES = 16

/** Whether the first bytes are those of the type, for photos; other types are not read. */
export function isWhatItSays(type: string, head: Buffer): boolean {
  if (!PHOTOS.has(type)) return true
  const text = head.toString('latin1')
  return (
    text.startsWith('\xff\xd8\xff') ||
    text.startsWith('\x89PNG') ||
    text.startsWith('GIF8') ||
    (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') ||
    text.slice(4, 8) === 'ftyp'
  )
}

function invalid(): HoldfastError {
  return new HoldfastError(
    'invalid_request',
    400,
    'Send id, field, name, type and size of files that the form asks for.',
  )
}

export function refused(message: string): HoldfastError {
  return new HoldfastError('file_refused', 422, message)
}
