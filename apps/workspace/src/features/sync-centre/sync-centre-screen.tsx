import type { JSX } from 'react'
import { Page } from '../../components/page.tsx'

export function SyncCentreScreen(): JSX.Element {
  return <Page title="Sync centre">{null}</Page>
}
