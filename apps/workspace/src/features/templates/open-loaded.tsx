import { useLocalDatabase } from '@holdfast/react'
import { Navigate } from '@tanstack/react-router'
import { type JSX, useEffect, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { firstOf, useViews } from '../../lib/views/use-views.ts'
import { templateMessages as words } from '../../messages/templates.ts'
import type { Template } from './template-file.ts'

/** Time in ms within which new tables and their views usually reach a device. */
const SLOW_MS = 20_000
/** Interval in ms between requests for the tables. */
const ASK_MS = 1_000

/**
 * The progress of a template until its first table is on this device, and then that table.
 *
 * @param props.tables - `undefined` until the server has created them
 */
export function OpenLoaded({
  template,
  tables,
  ws,
}: {
  readonly template: Template
  readonly tables: readonly string[] | undefined
  readonly ws: string
}): JSX.Element {
  const first = useTableInfo(tables?.[0] ?? '')
  if (tables && first) return <OpenView table={first.name} hasViews={template.hasViews} ws={ws} />
  return (
    <div role="status" className="flex max-w-xl flex-col gap-4">
      <Progress
        label={words.creating(template.name)}
        value={tables ? 1 : 0}
        total={2}
        valueText={tables ? words.arriving : words.creatingDetail}
      />
      {tables ? <Arriving /> : null}
    </div>
  )
}

/** Opens the view of the table that opens first. Views sync after their table. */
function OpenView({
  table,
  hasViews,
  ws,
}: {
  readonly table: string
  readonly hasViews: boolean
  readonly ws: string
}): JSX.Element | null {
  const views = useViews(table)
  const view = firstOf(views)
  const [isLate, setLate] = useState(!hasViews)
  // Timers are outside React.
  useEffect(() => {
    const late = setTimeout(() => setLate(true), SLOW_MS)
    return () => clearTimeout(late)
  }, [])
  if (view) return <Navigate to="/w/$ws/t/$table/v/$view" params={{ ws, table, view: view.id }} replace />
  return isLate || views.length > 0 ? <Navigate to="/w/$ws/t/$table" params={{ ws, table }} replace /> : null
}

function Arriving(): JSX.Element | null {
  const { refreshSchema } = useLocalDatabase()
  const [isSlow, setSlow] = useState(false)
  // The server and timers are outside React.
  useEffect(() => {
    const slow = setTimeout(() => setSlow(true), SLOW_MS)
    const ask = (): void =>
      void refreshSchema().catch((error: unknown) => console.warn('The schema did not arrive.', error))
    const asking = setInterval(ask, ASK_MS)
    ask()
    return () => {
      clearTimeout(slow)
      clearInterval(asking)
    }
  }, [refreshSchema])
  return isSlow ? <Notice tone="warning" title={words.slow} /> : null
}
