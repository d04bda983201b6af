import { useLocalDatabase } from '@holdfast/react'
import { useMemo } from 'react'
import { showToast } from '../toast.tsx'
import { createRecordWriter, type RecordWriter } from '../../lib/records/create-record-writer.ts'

/** Writes records of the signed-in person, and tells of it in toasts. */
export function useRecordWriter(): RecordWriter {
  const local = useLocalDatabase()
  const { database, rejected } = local
  return useMemo(
    () => createRecordWriter(database, rejected, local.userId, (text) => showToast({ text })),
    [database, rejected, local.userId],
  )
}
