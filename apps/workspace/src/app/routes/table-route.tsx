import { useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useRememberRecent } from '../../lib/data/recent.ts'
import { TableScreen } from '../../features/grid/table-screen.tsx'
import { RecordPanel } from '../../features/record/record-panel.tsx'

/** Mounts the grid for the table in the address, with the open record beside it; another table is another screen with its own state. */
export function TableRoute(): JSX.Element {
  const { table } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const { record } = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  useRememberRecent(table, record)
  return (
    <TableScreen key={table} table={table} renderRecord={(open) => <RecordPanel key={open.recordId} {...open} />} />
  )
}
