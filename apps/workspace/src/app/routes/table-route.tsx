import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { TableScreen } from '../../features/grid/table-screen.tsx'

/** Mounts the grid for the table in the address; another table is another screen with its own state. */
export function TableRoute(): JSX.Element {
  const { table } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  return <TableScreen key={table} table={table} />
}
