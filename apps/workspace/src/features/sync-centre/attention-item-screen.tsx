import type { JSX } from 'react'
import { Page } from '../../components/page.tsx'

export function AttentionItemScreen(): JSX.Element {
  return <Page title="Not accepted">{null}</Page>
}
