import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { EmptyState, Page } from '@holdfast/workspace'

export function NotFound(): JSX.Element {
  return (
    <Page title="Not found" isTitleHidden>
      <EmptyState
        title="There is no such page"
        action={
          <Link to="/" className="text-accent underline">
            Overview
          </Link>
        }
      >
        The address may be mistyped, or the thing it names was deleted.
      </EmptyState>
    </Page>
  )
}
