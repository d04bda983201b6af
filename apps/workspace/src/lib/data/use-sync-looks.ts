import { useEngineStatus, useLocalDatabase, useRecords, useSyncStatus, useUnsent } from '@holdfast/react'
import { chipLooks, type ChipLooks, type FilesUnderWay, withFiles } from './sync-chip.ts'
import { percentSent } from '../percent-sent.ts'
import { usePause } from './pause.ts'

/** Returns the sync state as shown by the chip, for all screens. */
export function useSyncLooks(): ChipLooks {
  const local = useLocalDatabase()
  const syncState = useSyncStatus()
  const isPaused = usePause(local)
  const isConnected = useEngineStatus((status) => status.connected)
  const { waiting } = useUnsent()
  const files = useFilesUnderWay()
  return withFiles(chipLooks(syncState, { waiting, isPaused, isConnected }), files)
}

const FILES_SQL = `
  select count(*) as files, max(state in ('uploading', 'uploaded')) as is_sending, sum(size) as size,
         sum(case when state in ('uploading', 'uploaded') then sent_bytes else 0 end) as sent
    from hf_local_files where state in ('captured', 'preparing', 'queued', 'uploading', 'uploaded')`

interface FilesRow {
  readonly files: number
  readonly is_sending: number | null
  readonly size: number | null
  readonly sent: number | null
}

function useFilesUnderWay(): FilesUnderWay {
  const { rows } = useRecords<FilesRow>(FILES_SQL, [], { throttleMs: 300 })
  const { files = 0, is_sending: isSending, size, sent } = rows[0] ?? {}
  const percent = isSending === 1 && size ? percentSent(sent ?? 0, size) : undefined
  return { count: files, percent }
}
