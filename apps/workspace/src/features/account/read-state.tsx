import type { JSX, ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { accountMessages as words } from '../../messages/account.ts'
import { describeAccountError } from './account-failure.ts'
import { NoRows } from '../../components/section.tsx'
import type { OnlineRead } from './use-online-read.ts'

/** Shows the state of a read without a value: loading, offline or failed. */
export function ReadState<T>({
  state,
  onRetry,
  rows = 2,
  children,
}: {
  readonly state: OnlineRead<T>
  readonly onRetry: () => Promise<void>
  readonly rows?: number
  readonly children: (value: T) => ReactNode
}): JSX.Element {
  switch (state.kind) {
    case 'ready':
      return (
        <>
          {state.error === undefined ? null : <NotRead error={state.error} onRetry={onRetry} />}
          {children(state.value)}
        </>
      )
    case 'loading':
      return <Skeleton rows={rows} label={words.loading} />
    case 'offline':
      return <NoRows>{words.loadingOffline}</NoRows>
    case 'failed':
      return <NotRead error={state.error} onRetry={onRetry} />
    default:
      return state satisfies never
  }
}

function NotRead({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => Promise<void> }): JSX.Element {
  const { code, message, technical } = describeAccountError(error)
  return (
    <ErrorNotice
      error={{ code, title: message, ...(technical === undefined ? {} : { technical }) }}
      actions={
        <Button size="sm" onPress={() => void onRetry()}>
          {words.tryAgain}
        </Button>
      }
    />
  )
}
