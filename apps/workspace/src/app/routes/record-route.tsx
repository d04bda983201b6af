import { useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useNeighbours } from '../../features/grid/use-neighbours.ts'
import { RecordScreen } from '../../features/record/record-screen.tsx'
import { useRememberRecent } from '../../lib/data/recent.ts'

/** Renders the full-page record in the URL, with its neighbours in the URL's view. */
export function RecordRoute(): JSX.Element {
  const { table, record } = useParams({ from: '/signed-in/w/$ws/t/$table/r/$record' })
  const from = useSearch({ from: '/signed-in/w/$ws/t/$table/r/$record' })
  const neighbours = useNeighbours(table, record, from)
  useRememberRecent(table, record)
  return <RecordScreen key={`${table}/${record}`} table={table} recordId={record} neighbours={neighbours} />
}
