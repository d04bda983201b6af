import { errorMessage } from '@holdfast/foundation'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Semaphore } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import type { openBackend } from '@holdfast/storage'
import type { LeftOut } from './report.ts'

type Backend = Awaited<ReturnType<typeof openBackend>>

/** Concurrent file transfers. */
const AT_ONCE = 4
/** Rows per query. */
const BATCH = 500
/** Timeout in ms of a file transfer without progress. */
const FILE_SILENCE_MS = 60_000

export interface CopyFilesOptions {
  readonly db: Queryable
  readonly backend: Backend
  /** `https://<project>.supabase.co/storage/v1`, or the project's URL. */
  readonly storageUrl: string
  readonly serviceKey: string
  readonly progress: (line: string) => void
}

interface FileRow {
  readonly id: string
  readonly bucket: string
  readonly key: string
  readonly version: string
  readonly size: number | null
}

export interface CopiedFiles {
  readonly copied: number
  readonly present: number
  readonly failed: number
  readonly leftOut: readonly LeftOut[]
}

/** Fetches the bytes of all stored files over the Storage API, except those already present. */
export async function copyFiles({
  db,
  backend,
  storageUrl,
  serviceKey,
  progress,
}: CopyFilesOptions): Promise<CopiedFiles> {
  const base = storageUrl.replace(/\/+$/, '').replace(/(?:\/storage\/v1)?$/, '/storage/v1')
  const leftOut: LeftOut[] = []
  const transfers = new Semaphore({ permits: AT_ONCE })
  let [copied, present, last, toldAt] = [0, 0, '00000000-0000-0000-0000-000000000000', Date.now()]
  const copyOne = async ({ bucket, key, version, size }: FileRow): Promise<void> => {
    const here = await backend.sizeOf(version)
    if (here !== undefined && (size === null || here === size)) {
      present++
      return
    }
    try {
      await fetchFile(
        backend,
        version,
        size,
        `${base}/object/authenticated/${[bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`,
        serviceKey,
      )
      copied++
    } catch (error) {
      leftOut.push({ what: `File ${bucket}/${key}`, why: errorMessage(error) })
    }
    if (Date.now() - toldAt < 2_000) return
    toldAt = Date.now()
    progress(`${copied} files`)
  }
  for (;;) {
    const rows = await db.query<FileRow>(sql`
      select id, bucket_id as bucket, name as key, version, (metadata ->> 'size')::float8 as size from storage.objects
       where id > ${last}::uuid and version is not null order by id limit ${BATCH}`)
    if (rows.length === 0) return { copied, present, failed: leftOut.length, leftOut }
    last = rows.at(-1)?.id ?? last
    await Promise.all(rows.map((row) => transfers.run({}, () => copyOne(row))))
  }
}

async function fetchFile(
  backend: Backend,
  version: string,
  size: number | null,
  url: string,
  key: string,
): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(
    () => silence.abort(new Error(`nothing came for ${FILE_SILENCE_MS / 1000} s`)),
    FILE_SILENCE_MS,
  )
  try {
    const answer = await fetch(url, {
      headers: { apikey: key, authorization: `Bearer ${key}` },
      // A redirect would send the key to another server.
      redirect: 'error',
      signal: silence.signal,
    })
    if (!answer.ok || answer.body === null) throw new Error(`the storage answered ${answer.status}`)
    const body = Readable.fromWeb(answer.body as ReadableStream)
    body.on('data', () => timer.refresh())
    body.pause()
    const stored = await backend.write(version, body)
    if (size === null || stored.size === size) return
    await backend.remove(version)
    throw new Error(`${stored.size} bytes came instead of ${size}`)
  } finally {
    clearTimeout(timer)
  }
}
