import { parseJson } from '@holdfast/protocol'
import { RESUMED_BYTES_MIN, SINGLE_REQUEST_BYTES_MAX } from '../limits.ts'
import { UPLOAD_MARK, type SendOptions, type SentFile } from './sent-file.ts'
import { fetchAsUser, objectPath, sendAsUser, type StorageEndpoint } from './storage-endpoint.ts'
import { readFailure, TransferFailure } from './storage-failure.ts'
import { unseenBytes, watchSilence } from './watch-silence.ts'

/**
 * Uploads a file: in one request, or in parts if it is large or the connection does not last. Resolves when the server has all bytes.
 *
 * @throws {TransferFailure} on failure
 * @throws {SignInNeeded} without a token to try
 */
export async function sendFile(
  endpoint: StorageEndpoint,
  file: SentFile,
  bytes: Blob,
  options: SendOptions,
): Promise<void> {
  try {
    await (isForParts(file, bytes) ? sendInParts : sendAtOnce)(endpoint, file, bytes, options)
  } catch (error) {
    // The key is random: the existing object is most likely this file, whose earlier response was lost.
    if (!(error instanceof TransferFailure) || error.problem.status !== 409) throw error
    if (!(await isOwnUpload(endpoint, file, bytes.size, options.signal))) throw error
  }
}

function isForParts({ uploadUrl, wasCut }: SentFile, { size }: Blob): boolean {
  return uploadUrl !== undefined || size > SINGLE_REQUEST_BYTES_MAX || (wasCut && size > RESUMED_BYTES_MIN)
}

/** Imports the TUS client with the first file that needs it; most pages never do. */
async function sendInParts(...upload: Parameters<typeof sendFile>): Promise<void> {
  const { sendResumable } = await import('./send-resumable.ts')
  await sendResumable(...upload)
}

async function sendAtOnce(
  endpoint: StorageEndpoint,
  file: SentFile,
  bytes: Blob,
  { signal, onProgress }: SendOptions,
): Promise<void> {
  using silence = watchSilence(signal)
  silence.heard(unseenBytes(endpoint.bodies, bytes.size, 0))
  const response = await sendAsUser(endpoint, `/object/${objectPath(file)}`, {
    method: 'POST',
    headers: {
      'content-type': file.mediaType,
      'cache-control': 'max-age=31536000',
      'x-metadata': toBase64(JSON.stringify({ [UPLOAD_MARK]: file.bytesName })),
    },
    body: bytes,
    signal: silence.signal,
    onProgress(sentBytes) {
      silence.heard(unseenBytes(endpoint.bodies, bytes.size, sentBytes))
      onProgress(sentBytes)
    },
  })
  const text = await response.text()
  if (!response.ok) throw readFailure(response.status, text, response.headers.get('retry-after'))
  // A captive portal also responds with 200.
  if (!isStored(text)) throw readFailure(response.status, text, null)
}

/** Whether the existing object is this device's own earlier upload. */
async function isOwnUpload(
  endpoint: StorageEndpoint,
  file: SentFile,
  size: number,
  signal: AbortSignal,
): Promise<boolean> {
  using silence = watchSilence(signal)
  const response = await fetchAsUser(endpoint, `/object/info/${objectPath(file)}`, { signal: silence.signal })
  const text = await response.text()
  if (!response.ok) {
    const failure = readFailure(response.status, text, response.headers.get('retry-after'))
    if (failure.failure === 'retry') throw failure
    return false
  }
  const info = parseJson(text) as { size?: unknown; metadata?: Record<string, unknown> | null } | undefined
  return info?.size === size && info.metadata?.[UPLOAD_MARK] === file.bytesName
}

function isStored(text: string): boolean {
  const body = parseJson(text)
  return typeof body === 'object' && body !== null && 'Key' in body
}

/** The text is ASCII. */
function toBase64(text: string): string {
  return btoa(text)
}
