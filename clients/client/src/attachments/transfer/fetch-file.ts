import type { FileEntry } from '../file-state.ts'
import type { FileStore } from '../files/file-store.ts'
import { fetchAsPerson, objectPath, type StorageEndpoint } from './storage-endpoint.ts'
import { noAnswer, readFailure, TransferFailure } from './storage-failure.ts'
import { watchSilence, type SilenceWatch } from './watch-silence.ts'

/**
 * Brings the bytes of an object to this device, as the person.
 *
 * @param name - under which the store gets them; it has nothing of that name after a failure
 * @returns how many bytes
 * @throws {TransferFailure} when it did not work
 * @throws {FileStoreFull} when there is no room for them
 */
export async function fetchFile(
  endpoint: StorageEndpoint,
  file: Pick<FileEntry, 'bucket' | 'path'>,
  { store, name, signal }: { readonly store: FileStore; readonly name: string; readonly signal: AbortSignal },
): Promise<number> {
  using silence = watchSilence(signal)
  const response = await fetchAsPerson(endpoint, `/object/authenticated/${objectPath(file)}`, {
    signal: silence.signal,
    cache: 'no-store',
  })
  if (!response.ok) {
    throw fetchFailure(readFailure(response.status, await response.text(), response.headers.get('retry-after')))
  }
  // Every object has one; a hotel's page does not.
  if (response.headers.get('etag') === null || !response.body) {
    throw noAnswer(new Error('The answer did not come from storage.'))
  }
  const size = await store.write(name, watched(response.body, silence))
  const promised = response.headers.get('content-length')
  if (promised === null || response.headers.get('content-encoding') !== null || Number(promised) === size) return size
  await store.remove(name)
  throw noAnswer(new Error(`${size} of ${promised} bytes arrived.`))
}

/** A person who may not see an object gets the answer for one that is not there; asking again soon does not help. */
function fetchFailure(failure: TransferFailure): TransferFailure {
  const { status } = failure.problem
  return status === 403 ? new TransferFailure('final', failure.problem) : failure
}

function watched(body: ReadableStream<Uint8Array>, silence: SilenceWatch): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        silence.heard()
        controller.enqueue(chunk)
      },
    }),
  )
}
