import type { FileEntry } from '../file-state.ts'
import type { FileStore } from '../files/file-store.ts'
import { RESUMED_BYTES_MIN } from '../limits.ts'
import { dropPart, type FetchedParts } from './fetched-parts.ts'
import { fetchAsUser, objectPath, type StorageEndpoint } from './storage-endpoint.ts'
import { noAnswer, readFailure, TransferFailure } from './storage-failure.ts'
import { watchSilence, type SilenceWatch } from './watch-silence.ts'

export interface FetchOptions {
  readonly store: FileStore
  /** Name for the bytes in the store. */
  readonly name: string
  /** Receives the partial bytes of an interrupted download, if worth keeping, for resumption. */
  readonly parts: FetchedParts
  readonly signal: AbortSignal
}

/**
 * Downloads an object as the user.
 *
 * @returns the number of bytes
 * @throws {TransferFailure} on failure; then the store has nothing under the name except a kept part
 * @throws {FileStoreFull} if there is no room
 */
export async function fetchFile(
  endpoint: StorageEndpoint,
  file: Pick<FileEntry, 'id' | 'bucket' | 'path'>,
  options: FetchOptions,
): Promise<number> {
  const { parts, store, signal } = options
  const begun = await findBegun(file.id, options)
  using silence = watchSilence(signal)
  const response = await fetchAsUser(endpoint, `/object/authenticated/${objectPath(file)}`, {
    signal: silence.signal,
    cache: 'no-store',
    ...(begun && { headers: { range: `bytes=${begun.bytes.size}-`, 'if-range': begun.etag } }),
  })
  // The object has become shorter.
  if (response.status === 416) await dropPart(parts, store, file.id)
  if (!response.ok) {
    throw fetchFailure(readFailure(response.status, await response.text(), response.headers.get('retry-after')))
  }
  const etag = response.headers.get('etag')
  // Every object has one; the page of a captive portal does not.
  if (etag === null || !response.body) throw noAnswer(new Error('The response did not come from storage.'))
  const isRest = response.status === 206
  if (isRest && !(begun && etag === begun.etag && beginsAt(response, begun.bytes.size))) {
    await dropPart(parts, store, file.id)
    throw noAnswer(new Error('The file changed during the download.'))
  }
  const encoded = response.headers.get('content-encoding') !== null
  const length = encoded ? null : response.headers.get('content-length')
  const before = isRest ? begun?.bytes : undefined
  const size = length === null ? undefined : Number(length) + (before?.size ?? 0)
  return storeBytes(file.id, { body: response.body, etag, size, before, silence }, options)
}

/** Checks the content range, which a proxy may have ignored. */
function beginsAt(response: Response, at: number): boolean {
  const range = response.headers.get('content-range')
  return range === null || range.startsWith(`bytes ${at}-`)
}

/** Returns the part already downloaded, if any. */
async function findBegun(
  id: string,
  { parts, store }: FetchOptions,
): Promise<{ readonly etag: string; readonly bytes: Blob } | undefined> {
  const part = parts.get(id)
  if (!part) return undefined
  const bytes = await store.read(part.name)
  if (bytes) return { etag: part.etag, bytes }
  parts.delete(id)
  return undefined
}

interface Incoming {
  readonly body: ReadableStream<Uint8Array>
  readonly etag: string
  /** Total size, if the response states it. */
  readonly size: number | undefined
  /** Part already downloaded, if only the rest follows. */
  readonly before: Blob | undefined
  readonly silence: SilenceWatch
}

/** Stores the existing and the arriving bytes; an incomplete result becomes a part. */
async function storeBytes(
  id: string,
  incoming: Incoming,
  { store, name, parts, signal }: FetchOptions,
): Promise<number> {
  const { etag, size } = incoming
  const come = untilCut(incoming, signal)
  let stored: number
  try {
    stored = await store.write(name, come.bytes)
  } catch (error) {
    // There is no room for both, or the part cannot be read.
    if (!signal.aborted) await dropPart(parts, store, id)
    throw error
  }
  const cut = come.cut()
  if (!cut && (size === undefined || stored === size)) {
    await dropPart(parts, store, id)
    return stored
  }
  if (size !== undefined && stored < size && stored >= RESUMED_BYTES_MIN && isOfOneVersion(etag)) {
    await dropPart(parts, store, id)
    parts.set(id, { name, etag, size: stored })
  } else {
    await store.remove(name)
  }
  throw noAnswer(cut ? cut.error : new Error(`${stored} of ${size} bytes arrived.`))
}

/** Weak ETags may be shared by different contents. */
function isOfOneVersion(etag: string): boolean {
  return etag.startsWith('"')
}

/** Invisible objects look absent, so retrying soon does not help. */
function fetchFailure(failure: TransferFailure): TransferFailure {
  const { status } = failure.problem
  return status === 403 ? new TransferFailure('final', failure.problem) : failure
}

/** Concatenates existing and arriving bytes. Ends normally if the connection is cut, to keep what arrived; fails if the device stops the transfer. */
function untilCut(
  { before, body, silence }: Incoming,
  signal: AbortSignal,
): { readonly bytes: ReadableStream<Uint8Array>; readonly cut: () => { readonly error: unknown } | undefined } {
  const here = before?.stream().getReader()
  const coming = body.getReader()
  let isHere = here !== undefined
  let cut: { readonly error: unknown } | undefined
  const next = async (): Promise<Uint8Array | undefined> => {
    if (isHere) {
      const piece = await here?.read()
      if (piece?.value) return piece.value
      isHere = false
    }
    try {
      const { value } = await coming.read()
      silence.heard()
      return value
    } catch (error) {
      if (signal.aborted) throw error
      cut = { error }
      return undefined
    }
  }
  const bytes = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await next()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
    async cancel(reason) {
      await Promise.all([here?.cancel(reason), coming.cancel(reason)])
    },
  })
  return { bytes, cut: () => cut }
}
