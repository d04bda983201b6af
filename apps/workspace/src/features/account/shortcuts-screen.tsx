import type { JSX } from 'react'
import { Page } from '../../components/page.tsx'

export function ShortcutsScreen(): JSX.Element {
  return <Page title="Keyboard shortcuts">{null}</Page>
}
