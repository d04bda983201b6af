import type { CommonPowerSyncDatabase } from '@powersync/common'
import { CoalescedTask } from '../coalesced-task.ts'
import { once } from '../once.ts'
import { batchedReads } from '../reads/batched-reads.ts'
import { createValue, type Value, type WritableValue } from '../value.ts'
import type { FileEntry } from './file-state.ts'
import { toFile, type FileRow } from './file-table.ts'
import { LIVE_FILES_THROTTLE_MS } from './limits.ts'

/** A file's current state on this device. */
export interface LiveFile {
  /** `undefined` if the id is unknown on this device. */
  readonly file: FileEntry | undefined
  /** Nothing has been read yet. */
  readonly isLoading: boolean
}

/** A file with at least one subscriber. */
interface Followed {
  readonly value: WritableValue<LiveFile>
  /** The row as last read. */
  text: string | undefined
  subscribers: number
}

const UNREAD: LiveFile = { file: undefined, isLoading: true }

const FILES_SQL = 'select * from hf_local_files where id in (select value from json_each(?))'

/**
 * Live files by id, updated while they have subscribers. One query reads all of them: a screen with a hundred images would otherwise run a hundred queries per
 * change and delay uploads.
 */
export function createLiveFiles(
  database: CommonPowerSyncDatabase,
  onProblem: (error: unknown) => void,
): (id: string) => Value<LiveFile> {
  const followed = new Map<string, Followed>()
  let stop: (() => void) | undefined
  const reading = new CoalescedTask(readAll)
  let isScheduled = false

  return (id) => ({
    get: () => followed.get(id)?.value.get() ?? UNREAD,
    subscribe(listener) {
      const own = followed.get(id) ?? follow(id)
      own.subscribers++
      const unsubscribe = own.value.subscribe(listener)
      return once(() => {
        unsubscribe()
        if (--own.subscribers > 0) return
        followed.delete(id)
        if (followed.size > 0) return
        stop?.()
        stop = undefined
      })
    },
  })

  function follow(id: string): Followed {
    const own: Followed = { value: createValue(UNREAD), text: undefined, subscribers: 0 }
    followed.set(id, own)
    stop ??= database.onChangeWithCallback(
      { onChange: () => void reading.request() },
      { tables: ['hf_local_files'], throttleMs: LIVE_FILES_THROTTLE_MS },
    )
    readSoon()
    return own
  }

  /** Batches subscribers that arrive together. */
  function readSoon(): void {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      void reading.request()
    })
  }

  async function readAll(): Promise<void> {
    if (followed.size === 0 || database.closed) return
    try {
      await readFollowed()
    } catch (error) {
      if (!database.closed) onProblem(error)
    }
  }

  async function readFollowed(): Promise<void> {
    const ids = [...followed.keys()]
    const rows = await batchedReads(database).getAll<FileRow>(FILES_SQL, [JSON.stringify(ids)])
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const id of ids) {
      const own = followed.get(id)
      const row = byId.get(id)
      const text = row ? JSON.stringify(row) : ''
      if (!own || own.text === text) continue
      own.text = text
      own.value.set({ file: row && toFile(row), isLoading: false })
    }
  }
}
