import type { JSX } from 'react'
import { Page } from '../../components/page.tsx'
import { humanize } from '../../lib/format.ts'

/** The records of one table. */
export function TableScreen({ table }: { readonly table: string }): JSX.Element {
  return <Page title={humanize(table)}>{null}</Page>
}
