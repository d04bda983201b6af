import { ConsoleError } from '../../lib/api.ts'

/**
 * Sends a file to a signed URL. Uses XMLHttpRequest, because fetch does not report the progress of uploads.
 *
 * @throws {ConsoleError} refusals; `unreachable` without a connection
 */
export function sendFile(
  path: string,
  file: File,
  {
    type,
    signal,
    onProgress,
  }: { readonly type: string; readonly signal: AbortSignal; readonly onProgress: (sent: number) => void },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', path)
    request.setRequestHeader('content-type', type)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
    request.addEventListener('load', () => (request.status < 300 ? resolve() : reject(refusalOf(request))))
    request.addEventListener('error', () =>
      reject(new ConsoleError('unreachable', 0, 'The connection was lost. Check the server, then try again.')),
    )
    request.addEventListener('abort', () => reject(new ConsoleError('cancelled', 0, 'The upload was cancelled.')))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

function refusalOf({ status, responseText }: XMLHttpRequest): ConsoleError {
  try {
    const { code, message } = JSON.parse(responseText) as { readonly code?: unknown; readonly message?: unknown }
    if (typeof message === 'string') return new ConsoleError(String(code), status, message)
  } catch {
    // A proxy's answer is not JSON.
  }
  return new ConsoleError('upload_failed', status, `The server answered ${status}.`)
}
