import type { JSX } from 'react'
import { Page } from '../../components/page.tsx'

export function AppearanceScreen(): JSX.Element {
  return <Page title="Appearance">{null}</Page>
}
