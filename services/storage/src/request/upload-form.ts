import type { IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { HoldfastError } from '@holdfast/foundation'
import { entityTooLarge, invalidRequest } from '../errors.ts'
import { FORM_FIELDS_BYTES_MAX, FORM_FIELDS_MAX } from '../limits.ts'
import { parseMetadata, type UserMetadata } from './user-metadata.ts'

export interface FormFile {
  readonly bytes: Readable
  readonly mimeType: string
  readonly cacheControl: string
  readonly userMetadata: UserMetadata | undefined
  readonly complete: () => Promise<void>
  /** Fields before the file. */
  readonly fields: ReadonlyMap<string, string>
  /** File name given by the client. */
  readonly fileName: string | undefined
}

/** Limits for form fields, which stay in memory until the file is stored. */
export interface FormLimits {
  readonly fieldsMax: number
  /** Total bytes of all values. */
  readonly bytesMax: number
}

const UPLOAD_LIMITS: FormLimits = { fieldsMax: FORM_FIELDS_MAX, bytesMax: FORM_FIELDS_BYTES_MAX }

/**
 * Parses a form up to the start of its file, whose field may have any name. Fields must precede the file.
 *
 * @throws {HoldfastError} `InvalidRequest`, `EntityTooLarge`
 */
export async function readForm(
  headers: IncomingHttpHeaders,
  body: Readable,
  limits = UPLOAD_LIMITS,
): Promise<FormFile> {
  const fields = new Map<string, string>()
  const parser = createParser(headers, limits)
  const started = Promise.withResolvers<Pick<FormFile, 'bytes' | 'mimeType' | 'fileName'>>()
  let bytes: Readable | undefined
  let bytesOfFields = 0
  parser.on('field', (name, value, _isNameCut, isValueCut) => {
    bytesOfFields += Buffer.byteLength(value)
    if (!isValueCut && bytesOfFields <= limits.bytesMax) {
      fields.set(name, value)
      return
    }
    const refusal = entityTooLarge('user_metadata')
    started.reject(refusal) // its file may have arrived in the same chunk
    parser.destroy(refusal)
  })
  parser.on('file', (_name, file, fileName, _encoding, mimeType) => {
    bytes = file
    // Prevents an unhandled error before the file is read; the reader receives the error again.
    file.once('error', () => undefined)
    started.resolve({ bytes: file, mimeType, fileName })
  })
  const parsed: Promise<void> = pipeline(body, parser)
  parsed.then(
    () => started.reject(invalidRequest('No content provided')),
    (error: unknown) => {
      const refusal = error instanceof HoldfastError ? error : invalidRequest('The upload form is malformed', error)
      started.reject(refusal)
      bytes?.destroy(refusal)
    },
  )
  const file = await started.promise
  const cacheSeconds = fields.get('cacheControl')
  return {
    bytes: file.bytes,
    mimeType: fields.get('contentType') || file.mimeType,
    cacheControl: cacheSeconds ? `max-age=${cacheSeconds}` : 'no-cache',
    userMetadata: parseMetadata(fields.get('metadata') ?? fields.get('userMetadata')),
    complete: () => parsed,
    fields,
    fileName: file.fileName,
  }
}

function createParser(headers: IncomingHttpHeaders, { fieldsMax, bytesMax }: FormLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fields: fieldsMax, files: 1, fieldSize: bytesMax + 1, headerPairs: 100 },
    })
  } catch (error) {
    throw invalidRequest('The upload form has no boundary', error)
  }
}
