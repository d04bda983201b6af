import type { JSX } from 'react'
import { Page } from '../../components/page.tsx'

export function HomeScreen(): JSX.Element {
  return <Page title="Home">{null}</Page>
}
