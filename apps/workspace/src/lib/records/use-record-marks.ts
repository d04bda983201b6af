import { useEngineStatus, useRecords, useSchema } from '@holdfast/react'
import { type AttentionRow, LIST_REJECTED_SQL, toRejectedChange } from '@holdfast/client'
import { photoTableOf } from '../data/photo-table.ts'
import { quoteName } from '../sql.ts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { deriveMarks, type RecordMark, type WaitingRow } from './record-state.ts'

const WAITING_SQL = `
  select data ->> '$.id' as id, max(tx_id is (select tx_id from ps_crud order by id limit 1)) as is_next,
         json_group_array(json(coalesce((select json_group_array(key) from json_each(ps_crud.data, '$.data')), '[]'))) as fields,
         max(json_extract(data ->> '$.metadata', '$.at')) as at
    from ps_crud where data ->> '$.type' = ? group by 1`

const NONE: ReadonlySet<string> = new Set()

/** Which records of a table are not clean, and how; live. `undefined` while that is not known: nobody may be told "accepted" then. */
export function useRecordMarks(table: string): ReadonlyMap<string, RecordMark> | undefined {
  const isConnected = useEngineStatus((status) => status.connected)
  const isSending = useEngineStatus((status) => status.uploading)
  const lastSyncedMs = useEngineStatus((status) => status.lastSyncedAt?.getTime())
  const { rows: changed, isLoading: isWaitingLoading } = useRecords<WaitingRow>(WAITING_SQL, [table])
  const { rows: withPhotos } = useRecords<WaitingRow>(useUnsentPhotosSql(table), [], { throttleMs: 300 })
  const waiting = useMemo(() => joinById(changed, withPhotos), [changed, withPhotos])
  const { rows: attention, isLoading: isAttentionLoading } = useRecords<AttentionRow>(LIST_REJECTED_SQL)
  const confirming = useConfirming(waiting, isConnected, lastSyncedMs)
  const isLoading = isWaitingLoading || isAttentionLoading
  return useMemo(
    () =>
      isLoading
        ? undefined
        : deriveMarks({ table, waiting, rejected: attention.map(toRejectedChange), isSending, confirming }),
    [isLoading, table, waiting, attention, isSending, confirming],
  )
}

/** Records with a photo that is only on this device: the whole of such a record has not been sent. */
function useUnsentPhotosSql(table: string): string {
  const photos = photoTableOf(useSchema())
  const link = photos?.links.get(table)
  if (!photos || link === undefined) return ''
  return `select distinct p.${quoteName(link)} as id, 0 as is_next, '[]' as fields, null as at
            from hf_local_files f join ${quoteName(photos.name)} p on p.id = f.id
           where f.state in ('captured', 'preparing', 'queued', 'uploading') and p.${quoteName(link)} is not null`
}

function joinById(changed: readonly WaitingRow[], others: readonly WaitingRow[]): readonly WaitingRow[] {
  if (others.length === 0) return changed
  const known = new Set(changed.map(({ id }) => id))
  return [...changed, ...others.filter(({ id }) => !known.has(id))]
}

/**
 * Records whose changes have left the outbox since the last checkpoint: judged, and not yet in a checkpoint. A refused
 * one is marked by needs attention, which wins.
 */
function useConfirming(
  waiting: readonly WaitingRow[],
  isConnected: boolean,
  lastSyncedMs: number | undefined,
): ReadonlySet<string> {
  const before = useRef<{ readonly ids: ReadonlySet<string>; readonly syncedMs: number | undefined }>({
    ids: NONE,
    syncedMs: lastSyncedMs,
  })
  const [confirming, setConfirming] = useState(NONE)
  // The outbox says what is in it, not what has left it.
  useEffect(() => {
    const ids = new Set(waiting.map(({ id }) => id))
    const last = before.current
    before.current = { ids, syncedMs: lastSyncedMs }
    setConfirming((known) => {
      const kept = last.syncedMs === lastSyncedMs && isConnected ? [...known] : []
      const left = isConnected ? [...last.ids].filter((id) => !ids.has(id)) : []
      const nextIds = [...kept, ...left].filter((id) => !ids.has(id))
      return nextIds.length === 0 ? NONE : new Set(nextIds)
    })
  }, [waiting, isConnected, lastSyncedMs])
  return confirming
}
