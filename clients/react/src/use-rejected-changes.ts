import { useMemo } from 'react'
import {
  LIST_REJECTED_SQL,
  toRejectedChange,
  type AttentionRow,
  type RejectedChange,
  type RejectedChanges,
} from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useRecords } from './use-records.ts'

export interface LiveRejectedChanges extends Pick<RejectedChanges, 'retry' | 'discard'> {
  /** Undecided ones, oldest first. */
  readonly changes: readonly RejectedChange[]
  readonly isLoading: boolean
  readonly error: Error | undefined
}

/** Returns the rejected changes and the possible decisions. */
export function useRejectedChanges(): LiveRejectedChanges {
  const { rejected } = useLocalDatabase()
  const { rows, isLoading, error } = useRecords<AttentionRow>(LIST_REJECTED_SQL)
  const changes = useMemo(() => rows.map(toRejectedChange), [rows])
  return { changes, isLoading, error, retry: rejected.retry, discard: rejected.discard }
}
