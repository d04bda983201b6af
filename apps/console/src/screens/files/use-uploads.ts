import { useRef, useState } from 'react'
import type { BucketList, ListedBucket } from '@holdfast/protocol'
import { ConsoleError, messageOf, request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { refusalOf, typeOf } from './file-names.ts'
import { sendFile } from './send-file.ts'
import { folderKey, USAGES } from './use-buckets.ts'

export interface Upload {
  readonly id: number
  readonly key: string
  readonly file: File
  /** Share of the bytes that were sent, from 0 to 1. */
  readonly sent: number
  /** `exists`: there is a file of this name, which is replaced only if asked. */
  readonly state: 'waiting' | 'sending' | 'done' | 'exists' | 'failed'
  readonly error?: string
}

export interface Uploads {
  readonly uploads: readonly Upload[]
  /** Uploads files to a folder, one after another. */
  add(folder: string, files: readonly File[]): void
  replace(upload: Upload): void
  /** Cancels an upload, or removes it from the list. */
  remove(upload: Upload): void
  clear(): void
}

/** Uploads of a bucket since the screen was opened. The browser sends them to the storage API by signed URLs. */
export function useUploads(bucket: ListedBucket, { fileSizeLimit }: Pick<BucketList, 'fileSizeLimit'>): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const nextId = useRef(0)
  const running = useRef<Promise<void>>(Promise.resolve())
  const cancels = useRef(new Map<number, AbortController>())
  const patch = (id: number, change: Partial<Upload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one)))

  async function run({ id, key, file }: Upload, isReplacement: boolean): Promise<void> {
    const signal = cancels.current.get(id)?.signal
    if (!signal || signal.aborted) return
    patch(id, { state: 'sending', sent: 0 })
    try {
      const body = { bucket: bucket.id, key, isReplacement, bytes: file.size }
      const { path } = await request<{ path: string }>('POST /files/upload', { body, signal })
      await sendFile(path, file, { type: typeOf(file), signal, onProgress: (sent) => patch(id, { sent }) })
      patch(id, { state: 'done', sent: 1 })
      await Promise.all([folderKey(bucket.id), USAGES].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    } catch (error) {
      if (signal.aborted) return
      const isTaken = error instanceof ConsoleError && error.code === 'KeyAlreadyExists'
      patch(id, isTaken ? { state: 'exists' } : { state: 'failed', error: messageOf(error) })
    } finally {
      cancels.current.delete(id)
    }
  }

  function enqueue(upload: Upload, isReplacement: boolean): void {
    cancels.current.set(upload.id, new AbortController())
    running.current = running.current.then(() => run(upload, isReplacement))
  }

  return {
    uploads,
    add(folder, files) {
      const added = files.map((file): Upload => {
        const error = refusalOf(file, bucket, fileSizeLimit)
        const upload = { id: (nextId.current += 1), key: `${folder}${file.name}`, file, sent: 0 }
        return error === undefined ? { ...upload, state: 'waiting' } : { ...upload, state: 'failed', error }
      })
      setUploads((all) => [...all, ...added])
      for (const upload of added) if (upload.state === 'waiting') enqueue(upload, false)
    },
    replace(upload) {
      patch(upload.id, { state: 'waiting' })
      enqueue(upload, true)
    },
    remove({ id }) {
      cancels.current.get(id)?.abort()
      setUploads((all) => all.filter((one) => one.id !== id))
    },
    clear: () => setUploads((all) => all.filter(({ state }) => state === 'waiting' || state === 'sending')),
  }
}
