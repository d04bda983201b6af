import { useEngineStatus, useRecords, useSchema } from '@holdfast/react'
import { type AttentionRow, LIST_REJECTED_SQL, toRejectedChange } from '@holdfast/client'
import { photoLinkOf, photoTableOf } from '../data/photo-table.ts'
import { quoteName } from '../sql.ts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { deriveMarks, type RecordMark, type UnsentFiles, type WaitingRow } from './record-state.ts'

const WAITING_SQL = `
  select data ->> '$.id' as id, max(tx_id is (select tx_id from ps_crud order by id limit 1)) as is_next,
         json_group_array(json(coalesce((select json_group_array(key) from json_each(ps_crud.data, '$.data')), '[]'))) as fields,
         max(json_extract(data ->> '$.metadata', '$.at')) as at
    from ps_crud where data ->> '$.type' = ? group by 1`

const NONE: ReadonlySet<string> = new Set()

/** Returns live marks of records that are not clean; `undefined` while unknown, when "accepted" must not be shown. */
export function useRecordMarks(table: string): ReadonlyMap<string, RecordMark> | undefined {
  const isConnected = useEngineStatus((status) => status.connected)
  const isSending = useEngineStatus((status) => status.uploading)
  const lastSyncedMs = useEngineStatus((status) => status.lastSyncedAt?.getTime())
  const { rows: changed, isLoading: isWaitingLoading } = useRecords<WaitingRow>(WAITING_SQL, [table])
  const { rows: files } = useRecords<UnsentFiles>(useUnsentPhotosSql(table), [], { throttleMs: 300 })
  const { rows: attention, isLoading: isAttentionLoading } = useRecords<AttentionRow>(LIST_REJECTED_SQL)
  const waiting = useMemo(() => idsOf(changed, files), [changed, files])
  const confirming = useConfirming(waiting, isConnected, lastSyncedMs)
  const isLoading = isWaitingLoading || isAttentionLoading
  return useMemo(
    () =>
      isLoading
        ? undefined
        : deriveMarks({
            table,
            waiting: changed,
            files,
            rejected: attention.map(toRejectedChange),
            isSending,
            confirming,
          }),
    [isLoading, table, changed, files, attention, isSending, confirming],
  )
}

/** SQL for photos not visible to others yet, by record. */
function useUnsentPhotosSql(table: string): string {
  const photos = photoTableOf(useSchema(), table)
  const link = photos && photoLinkOf(photos, table)
  if (!photos || link === undefined) return ''
  return `select p.${quoteName(link)} as id,
                 sum(f.state in ('captured', 'preparing', 'queued')) as waiting,
                 sum(f.state in ('uploading', 'uploaded')) as sending,
                 sum(f.state = 'refused') as refused,
                 sum(f.media_type like 'video/%') as videos,
                 sum(iif(f.state = 'refused', 0, f.size)) as bytes,
                 sum(iif(f.state in ('uploading', 'uploaded'), min(f.sent_bytes, f.size), 0)) as sent_bytes,
                 max(iif(f.state = 'refused', f.problem, null)) as problem
            from hf_local_files f join ${quoteName(photos.name)} p on p.id = f.id
           where f.state in ('captured', 'preparing', 'queued', 'uploading', 'uploaded', 'refused') and p.${quoteName(link)} is not null
           group by 1`
}

/** Returns ids of records with waiting changes or files; refused files do not wait. */
function idsOf(changed: readonly WaitingRow[], files: readonly UnsentFiles[]): readonly string[] {
  const unsent = files.filter(({ waiting, sending }) => waiting + sending > 0)
  return [...changed, ...unsent].map(({ id }) => id)
}

/**
 * Returns records whose changes have left the outbox since the last checkpoint: judged but not in a checkpoint. Rejected ones are marked by needs attention,
 * which has priority.
 */
function useConfirming(
  waiting: readonly string[],
  isConnected: boolean,
  lastSyncedMs: number | undefined,
): ReadonlySet<string> {
  const before = useRef<{ readonly ids: ReadonlySet<string>; readonly syncedMs: number | undefined }>({
    ids: NONE,
    syncedMs: lastSyncedMs,
  })
  const [confirming, setConfirming] = useState(NONE)
  // The outbox lists only queued changes.
  useEffect(() => {
    const ids = new Set(waiting)
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
