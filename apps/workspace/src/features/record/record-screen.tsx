import type { JSX } from 'react'
import { Page } from '../../components/page.tsx'
import { humanize } from '../../lib/format.ts'

/** One record on a page of its own. */
export function RecordScreen({ table, recordId }: { readonly table: string; readonly recordId: string }): JSX.Element {
  return <Page title={`${humanize(table)} ${recordId}`}>{null}</Page>
}
