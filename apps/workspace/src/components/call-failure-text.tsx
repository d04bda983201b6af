import type { JSX } from 'react'
import type { CallFailure } from '../hooks/use-call.ts'
import { commonMessages } from '../messages/common.ts'
import { Disclosure } from './disclosure.tsx'

/** Explains a failure; announced immediately by screen readers. */
export function CallFailureText({ failure }: { readonly failure: CallFailure | undefined }): JSX.Element | null {
  if (!failure) return null
  return (
    <div role="alert" className="text-small text-danger">
      {failure.text}
      {failure.technical === undefined ? null : (
        <span className="block pt-1 font-mono [overflow-wrap:anywhere] text-muted">{failure.technical}</span>
      )}
      {failure.details === undefined || failure.details === failure.text ? null : (
        <Disclosure title={commonMessages.details}>
          <span className="font-mono">{failure.details}</span>
        </Disclosure>
      )}
    </div>
  )
}
