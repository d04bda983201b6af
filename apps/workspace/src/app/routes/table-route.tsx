import { useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { lateContent, lateLayer } from '../../components/late-content.tsx'
import { useRememberRecent } from '../../lib/data/recent.ts'
import { type OpenForm, TableScreen } from '../../features/grid/table-screen.tsx'

/** Loaded separately, so that the grid appears first. */
const { Content: RecordPanel } = lateLayer(
  async () => (await import('../../features/record/record-panel.tsx')).RecordPanel,
)

const formView = lateContent<OpenForm>(async () => (await import('../../features/record/form/form-view.tsx')).FormView)

/** Renders the grid of the table in the URL with the open record beside it. Each table has its own state. */
export function TableRoute(): JSX.Element {
  const { table } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const { view } = useParams({ strict: false })
  const { record } = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  useRememberRecent(table, record)
  return (
    <TableScreen
      key={table}
      table={table}
      view={view}
      renderRecord={(open) => <RecordPanel key={open.recordId} {...open} />}
      renderForm={(open) => <formView.Content key={open.saved.id} {...open} />}
    />
  )
}
