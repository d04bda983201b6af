import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { AttachmentsOptions } from './attachments-options.ts'
import { chooseEvicted } from './cache-limit.ts'
import type { FileWork } from './choose-work.ts'
import { evict } from './evict.ts'
import type { FileEntry, FileEvent } from './file-state.ts'
import type { FileTable } from './file-table.ts'
import { FileStoreFull, type FileStore } from './files/file-store.ts'
import { FILE_RETRY_MS_MAX, PROGRESS_EVERY_MS } from './limits.ts'
import { fetchFile } from './transfer/fetch-file.ts'
import type { FetchedParts } from './transfer/fetched-parts.ts'
import { sendFile } from './transfer/send-file.ts'
import { SignInNeeded, type StorageEndpoint } from './transfer/storage-endpoint.ts'
import { noAnswer, TransferFailure } from './transfer/storage-failure.ts'
import { unreferenced } from './unreferenced.ts'

export interface WorkContext {
  readonly database: CommonPowerSyncDatabase
  readonly table: FileTable
  readonly store: FileStore
  readonly endpoint: StorageEndpoint
  readonly options: Pick<AttachmentsOptions, 'prepare' | 'link'>
  readonly cacheBytesMax: () => number
  /** Returns a name unused in the store. */
  readonly newName: () => string
  /** Progress of interrupted transfers. */
  readonly begun: BegunTransfers
  readonly onProblem: (error: unknown) => void
}

/** Kept in memory only: it merely speeds up resumed transfers. */
export interface BegunTransfers {
  /** Bytes the server is known to have, by file. */
  readonly sent: Map<string, number>
  readonly fetched: FetchedParts
}

/**
 * Runs one task. Every step can be repeated safely after a crash: bytes are stored before an entry references them, and deleted after no entry does.
 *
 * @throws {SignInNeeded} without a token to try; the file is unchanged
 */
export async function performWork(context: WorkContext, { kind, file }: FileWork, signal: AbortSignal): Promise<void> {
  switch (kind) {
    case 'prepare':
      return prepare(context, file)
    case 'send':
      return send(context, file, signal)
    case 'link':
      return link(context, file)
    case 'accept_link':
      await context.table.apply(file.id, { kind: 'link_accepted' })
      return keepWithinLimit(context, file)
    case 'fetch':
      return downloadFile(context, file, signal)
    default:
      return kind satisfies never
  }
}

async function prepare(context: WorkContext, { id }: FileEntry): Promise<void> {
  const { table, store, options, newName, onProblem } = context
  const file = await table.apply(id, { kind: 'prepare_started' })
  if (!file) return
  const captured = await bytesOf(context, file)
  if (!captured) return
  const { bytesName, bytes } = captured
  let prepared = bytes
  try {
    prepared = (await options.prepare?.(bytes, file)) ?? bytes
  } catch (error) {
    onProblem(error)
  }
  if (prepared === bytes) {
    await table.apply(id, { kind: 'prepared', bytesName, size: bytes.size, mediaType: file.mediaType })
    return
  }
  const name = newName()
  const size = await store.write(name, prepared)
  const mediaType = prepared.type || file.mediaType
  const isNamed = await table.apply(id, { kind: 'prepared', bytesName: name, size, mediaType })
  await store.remove(isNamed ? bytesName : name)
}

async function send(context: WorkContext, before: FileEntry, signal: AbortSignal): Promise<void> {
  const { table, endpoint, begun } = context
  const { id } = before
  const file = await table.apply(id, { kind: 'send_started' })
  if (!file) return
  const stored = await bytesOf(context, file)
  if (!stored) return
  try {
    await sendFile(endpoint, { ...file, bytesName: stored.bytesName, wasCut: wasCut(before) }, stored.bytes, {
      signal,
      async onCreated(url) {
        begun.sent.delete(id)
        await table.apply(id, { kind: 'upload_created', url })
      },
      onPartSent: (sentBytes) => notePart(context, id, sentBytes),
      onProgress: noteProgress(context, id),
    })
    begun.sent.delete(id)
    await table.apply(id, { kind: 'sent' })
  } catch (error) {
    await table.apply(id, toFailed('send_failed', error, signal))
    if (error instanceof SignInNeeded) throw error
  }
}

/** Whether an attempt started sending and got no response. */
function wasCut({ sentBytes, problem }: FileEntry): boolean {
  return sentBytes > 0 || (problem !== undefined && problem.status === undefined)
}

/** Resets the retry delay if the attempt made progress. */
async function notePart({ table, begun }: WorkContext, id: string, sentBytes: number): Promise<void> {
  const isFurther = sentBytes > (begun.sent.get(id) ?? 0)
  if (isFurther) begun.sent.set(id, sentBytes)
  await table.apply(id, { kind: isFurther ? 'part_sent' : 'progressed', sentBytes })
}

/** Records progress for display only; nothing waits for it. */
function noteProgress({ database, table, onProblem }: WorkContext, id: string): (sentBytes: number) => void {
  let latest = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return (sentBytes) => {
    latest = sentBytes
    timer ??= unreferenced(
      setTimeout(() => {
        timer = undefined
        if (!database.closed) table.apply(id, { kind: 'progressed', sentBytes: latest }).catch(onProblem)
      }, PROGRESS_EVERY_MS),
    )
  }
}

async function link({ database, table, options }: WorkContext, { id }: FileEntry): Promise<void> {
  await database.writeTransaction(async (tx) => {
    const file = await table.applyIn(tx, id, { kind: 'link_written', position: undefined })
    if (!file || !options.link) return
    await options.link(tx, file)
    const last = await tx.get<{ position: number | null }>('select max(id) as position from ps_crud')
    await table.applyIn(tx, id, { kind: 'link_written', position: last.position ?? 0 })
  })
}

async function downloadFile(context: WorkContext, { id }: FileEntry, signal: AbortSignal): Promise<void> {
  const { table, store, endpoint, newName, begun } = context
  const file = await table.apply(id, { kind: 'fetch_started' })
  if (!file) return
  const name = newName()
  const parts = begun.fetched
  const before = parts.get(id)
  try {
    await makeRoom(context, file)
    const size = await fetchFile(endpoint, file, { store, name, parts, signal })
    // If the file was dropped meanwhile, delete its bytes.
    if (!(await table.apply(id, { kind: 'fetched', bytesName: name, size }))) await store.remove(name)
    await keepWithinLimit(context, file)
  } catch (error) {
    const isFurther = (parts.get(id)?.size ?? 0) > (before?.size ?? 0)
    await table.apply(id, toFailed('fetch_failed', error, signal, isFurther))
    if (error instanceof SignInNeeded) throw error
  }
}

/** Makes room. An opened file may evict any other, an eager one only lazy ones. */
async function makeRoom(context: WorkContext, file: FileEntry): Promise<void> {
  const isLazyOnly = file.isEager && file.usedAtMs === 0
  const room = { limit: context.cacheBytesMax(), needed: file.size, isLazyOnly }
  const evicted = chooseEvicted(await context.table.list(), room)
  if (evicted) return evict(context, evicted)
  if (!isLazyOnly) return // larger than the whole cache; evicted by the next file
  const problem = { code: 'no_room', message: 'The space for files of other devices is used up.', status: undefined }
  throw new TransferFailure('retry', problem, FILE_RETRY_MS_MAX)
}

/** Evicts files until the cache is within its limit or contains only the newest file. */
async function keepWithinLimit(context: WorkContext, { id: spared }: FileEntry): Promise<void> {
  const files = await context.table.list()
  await evict(context, chooseEvicted(files, { limit: context.cacheBytesMax(), needed: 0, spared }) ?? [])
}

async function bytesOf(
  { table, store }: WorkContext,
  { id, bytesName }: FileEntry,
): Promise<{ readonly bytesName: string; readonly bytes: Blob } | undefined> {
  const bytes = bytesName === undefined ? undefined : await store.read(bytesName)
  if (bytes && bytesName !== undefined) return { bytesName, bytes }
  await table.apply(id, { kind: 'bytes_missing' })
  return undefined
}

/** @param isFurther - whether progress was made */
function toFailed(
  kind: 'send_failed' | 'fetch_failed',
  error: unknown,
  signal: AbortSignal,
  isFurther = false,
): FileEvent {
  if (signal.aborted || error instanceof SignInNeeded) return { kind: 'interrupted' }
  if (error instanceof FileStoreFull) {
    const problem = { code: 'no_space', message: error.message, status: undefined }
    return { kind, failure: 'retry', problem, retryAfterMs: undefined, isFurther }
  }
  const { failure, problem, retryAfterMs } = noAnswer(error)
  return { kind, failure, problem, retryAfterMs, isFurther }
}
