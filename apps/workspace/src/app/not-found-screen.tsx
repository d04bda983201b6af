import type { JSX } from 'react'
import { EmptyState } from '../components/empty-state.tsx'
import { LinkButton } from '../components/link.tsx'
import { errorMessages } from '../messages/errors.ts'

export function NotFoundScreen(): JSX.Element {
  return (
    <div className="py-12">
      <h1 tabIndex={-1} className="sr-only">
        {errorMessages.notFoundTitle}
      </h1>
      <EmptyState
        title={errorMessages.notFoundTitle}
        action={
          <LinkButton to="/" tone="primary">
            {errorMessages.goHome}
          </LinkButton>
        }
      >
        {errorMessages.notFoundDetail}
      </EmptyState>
    </div>
  )
}

/** The same screen without the shell around it. */
export function NotFoundPage(): JSX.Element {
  return (
    <main id="content">
      <NotFoundScreen />
    </main>
  )
}
