import { useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { CaptureScreen } from '../../features/record/checklist/capture-screen.tsx'

/** Mounts the choice of what to capture, over all tables. */
export function CaptureRoute(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/capture' })
  return <CaptureScreen workspace={ws} />
}

/** Mounts what captures records of the table in the address. */
export function NewRecordRoute(): JSX.Element {
  const { ws, table } = useParams({ from: '/signed-in/w/$ws/t/$table/new' })
  const search = useSearch({ from: '/signed-in/w/$ws/t/$table/new' })
  return <CaptureScreen workspace={ws} table={table} {...search} />
}
