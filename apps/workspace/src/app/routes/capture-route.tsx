import { useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { CaptureScreen } from '../../features/record/checklist/capture-screen.tsx'

/** Renders the choice of what to capture across all tables. */
export function CaptureRoute(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/capture' })
  return <CaptureScreen workspace={ws} />
}

/** Renders the capture screen for the table in the URL. */
export function NewRecordRoute(): JSX.Element {
  const { ws, table } = useParams({ from: '/signed-in/w/$ws/t/$table/new' })
  const search = useSearch({ from: '/signed-in/w/$ws/t/$table/new' })
  return <CaptureScreen workspace={ws} table={table} {...search} />
}
