import { useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { lateContent } from '../../components/late-content.tsx'
import { PrintView } from '../../features/grid/print/print-view.tsx'
import { PrintRecord } from '../../features/record/print/print-record.tsx'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { useView } from '../../lib/views/use-views.ts'

const noAccess = lateContent(async () => (await import('../../components/records/no-access.tsx')).NoAccess)

/** The record or the view in the URL as a document to print. */
export function PrintRoute(): JSX.Element | null {
  const { table: name } = useParams({ from: '/signed-in/w/$ws/t/$table/print' })
  const { record, v: viewId, ...address } = useSearch({ from: '/signed-in/w/$ws/t/$table/print' })
  const table = useTableInfo(name)
  const { view: saved, isLoading } = useView(name, viewId)
  if (!table) return <noAccess.Content table={name} />
  if (record !== undefined) return <PrintRecord key={record} table={table} recordId={record} />
  return isLoading ? null : <PrintView key={viewId ?? ''} table={table} saved={saved} address={address} />
}
