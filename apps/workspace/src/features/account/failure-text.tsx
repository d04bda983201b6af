import type { JSX } from 'react'
import type { AccountFailure } from './account-failure.ts'

/** Why something was not done, below the control that was used; said at once by screen readers. */
export function FailureText({ failure }: { readonly failure: AccountFailure | undefined }): JSX.Element | null {
  if (failure === undefined) return null
  return (
    <div role="alert" className="text-small text-danger">
      <FailureDetails failure={failure} />
    </div>
  )
}

/** The words, and what to tell an operator when they say little. */
export function FailureDetails({ failure }: { readonly failure: AccountFailure }): JSX.Element {
  return (
    <>
      {failure.message}
      {failure.technical === undefined ? null : (
        <span className="block pt-1 font-mono [overflow-wrap:anywhere] text-muted">
          {failure.code} · {failure.technical}
        </span>
      )}
    </>
  )
}
