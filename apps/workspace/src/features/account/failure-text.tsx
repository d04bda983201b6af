import type { JSX } from 'react'
import type { AccountFailure } from './account-failure.ts'

/** Says below a control why its action failed. Announced to screen readers at once. */
export function FailureText({ failure }: { readonly failure: AccountFailure | undefined }): JSX.Element | null {
  if (failure === undefined) return null
  return (
    <div role="alert" className="text-small text-danger">
      <FailureDetails failure={failure} />
    </div>
  )
}

/** The message, with details for an operator if it says little. */
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
