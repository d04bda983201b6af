import { errorMessage } from '@holdfast/foundation'
import { createWriteStream, mkdirSync, rmSync, writeFileSync, appendFileSync } from 'node:fs'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Semaphore } from '@holdfast/foundation'
import type { openBackend } from '@holdfast/storage'
import type { Source } from './source.ts'
import type { LeftOut } from './report.ts'

type Backend = Awaited<ReturnType<typeof openBackend>>

/** Rows per query, and concurrent transfers. */
const BATCH = 500
const AT_ONCE = 4
/** Timeout in ms of an upload without progress or response. */
const SILENCE_MS = 60_000
/** Length limit in characters of a response shown in reports. */
const ANSWER_CHARS = 300

/** A file as described by its row. */
export interface SentFile {
  readonly id: string
  readonly bucket: string
  readonly name: string
  readonly version: string
  readonly contentType: string
  readonly cacheControl: string
  /** Size of the local bytes. */
  readonly size: number
}

export interface SentFiles {
  readonly copied: number
  readonly present: number
  readonly failed: number
  readonly leftOut: readonly LeftOut[]
}

/** Destination of files. */
export interface FileTarget {
  has(file: SentFile): Promise<boolean>
  /** Resolves once all bytes are stored, otherwise rejects. Handles closing `bytes`. */
  take(file: SentFile, bytes: Readable): Promise<void>
  /** Called after some files have been sent. */
  settle(files: readonly SentFile[]): Promise<void>
}

export interface SendFilesOptions {
  readonly source: Source
  readonly backend: Backend
  readonly target: FileTarget
  readonly progress: (line: string) => void
}

/** Sends all files to another project, four at a time, according to the source's rows. */
export async function sendFiles({ source, backend, target, progress }: SendFilesOptions): Promise<SentFiles> {
  const leftOut: LeftOut[] = []
  const transfers = new Semaphore({ permits: AT_ONCE })
  let [copied, present, last, toldAt] = [0, 0, '00000000-0000-0000-0000-000000000000', Date.now()]
  const sendOne = async (row: Omit<SentFile, 'size'>): Promise<SentFile | undefined> => {
    const what = `File ${row.bucket}/${row.name}`
    try {
      const size = row.version === '' ? undefined : await backend.sizeOf(row.version)
      if (size === undefined) throw new Error('it has no bytes here, or was replaced or deleted meanwhile')
      const file = { ...row, size }
      if (await target.has(file)) {
        present++
        return undefined
      }
      const bytes = await backend.read(row.version)
      if (!bytes) throw new Error('it was replaced or deleted meanwhile')
      await target.take(file, bytes)
      copied++
      if (Date.now() - toldAt >= 2_000) {
        toldAt = Date.now()
        progress(`${copied} files`)
      }
      return file
    } catch (error) {
      leftOut.push({ what, why: errorMessage(error) })
      return undefined
    }
  }
  const client = await source.connect()
  try {
    for (;;) {
      const { rows } = await client.query<Omit<SentFile, 'size'>>(
        `select id, bucket_id as bucket, name, coalesce(version, '') as version, coalesce(metadata ->> 'mimetype', 'application/octet-stream') as "contentType",
                coalesce(metadata ->> 'cacheControl', 'no-cache') as "cacheControl"
           from storage.objects where id > $1 order by id limit ${BATCH}`,
        [last],
      )
      if (rows.length === 0) return { copied, present, failed: leftOut.length, leftOut }
      last = rows.at(-1)?.id ?? last
      const sent = await Promise.all(rows.map((row) => transfers.run({}, () => sendOne(row))))
      await target.settle(sent.filter((file) => file !== undefined))
    }
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}

/** Writes files to a folder, by bucket and name where the file system permits, with a list that maps them. */
export function folderTarget(folder: string): FileTarget {
  const list = join(folder, 'files.ndjson')
  writeFileSync(list, '', { mode: 0o600 })
  const write = async (path: string, bytes: Readable): Promise<void> => {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    const out = createWriteStream(join(folder, path), { flags: 'wx', mode: 0o600 })
    // Opened before reading, so that no bytes are consumed if the name is unusable.
    await new Promise<void>((resolve, reject) => out.once('open', () => resolve()).once('error', reject))
    try {
      await pipeline(bytes, out)
    } catch (error) {
      rmSync(join(folder, path), { force: true })
      throw error
    }
  }
  return {
    has: () => Promise.resolve(false),
    async take(file, bytes) {
      let path = join('files', ...[file.bucket, ...file.name.split('/')].map(segmentOf))
      try {
        await write(path, bytes)
      } catch (error) {
        // `a` and `a/b` may both be files; names may be too long or differ only in case.
        if (!IS_NAME_TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error
        path = join('files', '%by-version', file.version)
        await write(path, bytes)
      }
      const { bucket, name, contentType, cacheControl, size } = file
      appendFileSync(list, `${JSON.stringify({ bucket, name, path, contentType, cacheControl, size })}\n`)
    },
    settle: () => Promise.resolve(),
  }
}

const IS_NAME_TAKEN = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'])

/** Escapes a path segment, so that no name leads outside the folder. */
const segmentOf = (text: string): string =>
  text === ''
    ? '%'
    : text
        .replaceAll(/[^\p{L}\p{N} ._()+,@=&-]/gu, encodeURIComponent)
        .replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length))

export interface StorageTarget {
  /** `https://<project>.supabase.co`, with or without `/storage/v1`. */
  readonly storageUrl: string
  readonly serviceKey: string
  readonly settle: (ids: readonly string[]) => Promise<void>
}

/** Uploads files to a project over its Storage API. */
export function storageTarget({ storageUrl, serviceKey, settle }: StorageTarget): FileTarget {
  const base = storageUrl.replace(/\/+$/, '').replace(/(?:\/storage\/v1)?$/, '/storage/v1')
  const headers = { apikey: serviceKey, authorization: `Bearer ${serviceKey}` }
  const pathOf = ({ bucket, name }: SentFile): string => [bucket, ...name.split('/')].map(encodeURIComponent).join('/')
  return {
    async has(file) {
      // HEAD is answered from the row, which exists before the bytes.
      const url = `${base}/object/authenticated/${pathOf(file)}`
      const answer = await ask(url, { method: 'GET', headers: { ...headers, range: 'bytes=0-0' } })
      return answer.status === 206 && answer.range === `bytes 0-0/${file.size}`
    },
    async take(file, bytes) {
      const answer = await ask(`${base}/object/${pathOf(file)}`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': file.contentType,
          'content-length': file.size,
          'cache-control': file.cacheControl,
          'x-upsert': 'true',
        },
        bytes,
      })
      if (answer.status !== 200) throw new Error(`the storage answered ${answer.status}: ${answer.text}`)
    },
    settle: (files) => settle(files.map(({ id }) => id)),
  }
}

interface Asked {
  readonly method: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly bytes?: Readable
}

/** Avoids `fetch`, which sends bodies of unknown length in chunks, because not all proxies accept them. */
async function ask(
  url: string,
  { method, headers, bytes }: Asked,
): Promise<{ readonly status: number; readonly range: string | undefined; readonly text: string }> {
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, { method, headers })
  const timer = setTimeout(
    () => request.destroy(new Error(`nothing came or went for ${SILENCE_MS / 1000} s`)),
    SILENCE_MS,
  )
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    request.on('response', resolve).on('error', reject),
  )
  try {
    if (bytes) {
      bytes.on('data', () => timer.refresh())
      bytes.pause()
      // A refusal may arrive before all bytes are sent; it is more informative than the broken pipe.
      pipeline(bytes, request).catch((error: Error) => request.destroy(error))
    } else request.end()
    const answer = await answered
    timer.refresh()
    let text = ''
    for await (const chunk of answer) if (text.length < ANSWER_CHARS) text += String(chunk)
    return { status: answer.statusCode ?? 0, range: answer.headers['content-range'], text: text.slice(0, ANSWER_CHARS) }
  } finally {
    clearTimeout(timer)
    bytes?.destroy()
  }
}
