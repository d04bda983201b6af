import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useRememberRecent } from '../../lib/data/recent.ts'
import { RecordScreen } from '../../features/record/record-screen.tsx'

/** Mounts the full-page record in the address. */
export function RecordRoute(): JSX.Element {
  const { table, record } = useParams({ from: '/signed-in/w/$ws/t/$table/r/$record' })
  useRememberRecent(table, record)
  return <RecordScreen key={`${table}/${record}`} table={table} recordId={record} />
}
