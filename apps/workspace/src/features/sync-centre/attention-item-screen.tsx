import { useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Page } from '../../components/page.tsx'
import { syncMessages as words } from '../../messages/sync.ts'
import { RejectedChangeCard } from './rejected-change-card.tsx'
import { useRejectedChanges } from '@holdfast/react'

/** One rejected change on its own page, linked from the record. */
export function AttentionItemScreen(): JSX.Element {
  const { ws, item } = useParams({ from: '/signed-in/w/$ws/sync/$item' })
  const { changes, isLoading } = useRejectedChanges()
  const change = changes.find(({ id }) => id === item)
  const back = (
    <LinkButton to="/w/$ws/sync" params={{ ws }} search={{ tab: 'attention' }} size="sm">
      <ArrowLeft size={16} aria-hidden />
      {words.back}
    </LinkButton>
  )
  return (
    <Page title={words.itemTitle} actions={back}>
      {change ? (
        <RejectedChangeCard change={change} workspace={ws} headingLevel={2} />
      ) : isLoading ? null : (
        <EmptyState title={words.gone}>{words.goneDetail}</EmptyState>
      )}
    </Page>
  )
}
