import type { FileEntry } from '../file-state.ts'
import type { FileStore } from '../files/file-store.ts'
import { RESUMED_BYTES_MIN } from '../limits.ts'
import { dropPart, type FetchedParts } from './fetched-parts.ts'
import { fetchAsPerson, objectPath, type StorageEndpoint } from './storage-endpoint.ts'
import { noAnswer, readFailure, TransferFailure } from './storage-failure.ts'
import { watchSilence, type SilenceWatch } from './watch-silence.ts'

export interface FetchOptions {
  readonly store: FileStore
  /** Under which the store gets the bytes. */
  readonly name: string
  /** A download that is cut leaves here what it has, if that is worth it, and the next one goes on from there. */
  readonly parts: FetchedParts
  readonly signal: AbortSignal
}

/**
 * Brings the bytes of an object to this device, as the person.
 *
 * @returns how many bytes
 * @throws {TransferFailure} when it did not work. The store has nothing of the name then, unless it is that of a part
 * @throws {FileStoreFull} when there is no room for them
 */
export async function fetchFile(
  endpoint: StorageEndpoint,
  file: Pick<FileEntry, 'id' | 'bucket' | 'path'>,
  options: FetchOptions,
): Promise<number> {
  const { parts, store, signal } = options
  const begun = await findBegun(file.id, options)
  using silence = watchSilence(signal)
  const response = await fetchAsPerson(endpoint, `/object/authenticated/${objectPath(file)}`, {
    signal: silence.signal,
    cache: 'no-store',
    ...(begun && { headers: { range: `bytes=${begun.bytes.size}-`, 'if-range': begun.etag } }),
  })
  // It has become shorter.
  if (response.status === 416) await dropPart(parts, store, file.id)
  if (!response.ok) {
    throw fetchFailure(readFailure(response.status, await response.text(), response.headers.get('retry-after')))
  }
  const etag = response.headers.get('etag')
  // Every object has one; a hotel's page does not.
  if (etag === null || !response.body) throw noAnswer(new Error('The answer did not come from storage.'))
  const isRest = response.status === 206
  if (isRest && !(begun && etag === begun.etag && beginsAt(response, begun.bytes.size))) {
    await dropPart(parts, store, file.id)
    throw noAnswer(new Error('The file has changed meanwhile.'))
  }
  const encoded = response.headers.get('content-encoding') !== null
  const length = encoded ? null : response.headers.get('content-length')
  const before = isRest ? begun?.bytes : undefined
  const size = length === null ? undefined : Number(length) + (before?.size ?? 0)
  return storeBytes(file.id, { body: response.body, etag, size, before, silence }, options)
}

/** What is between may not tell. */
function beginsAt(response: Response, at: number): boolean {
  const range = response.headers.get('content-range')
  return range === null || range.startsWith(`bytes ${at}-`)
}

/** What is here of it already. */
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
  /** Bytes of the whole file, if the answer says it. */
  readonly size: number | undefined
  /** What is here already, if only the rest comes. */
  readonly before: Blob | undefined
  readonly silence: SilenceWatch
}

/** Stores what is here and what comes. If that is not all, it is a part. */
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
    // No room for both, or the part cannot be read.
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

/** A weak one may be that of other bytes as well. */
function isOfOneVersion(etag: string): boolean {
  return etag.startsWith('"')
}

/** A person who may not see an object gets the answer for one that is not there; asking again soon does not help. */
function fetchFailure(failure: TransferFailure): TransferFailure {
  const { status } = failure.problem
  return status === 403 ? new TransferFailure('final', failure.problem) : failure
}

/** The bytes that are here, then those that come. They end where the line is cut, so that what came is stored; when the device itself stops, they fail. */
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
