import type { JSX, ReactNode } from 'react'
import type { AuthFailure } from '../lib/auth/classify-auth-error.ts'
import { errorMessages } from '../messages/errors.ts'
import { ErrorNotice } from './error-notice.tsx'
import { Notice } from './notice.tsx'

/**
 * Shows failures that do not belong to a field.
 *
 * @param waitS - remaining wait in seconds
 */
export function FormFailure({
  failure,
  waitS = 0,
  actions,
}: {
  readonly failure: AuthFailure | undefined
  readonly waitS?: number
  readonly actions?: ReactNode
}): JSX.Element | null {
  switch (failure?.kind) {
    case 'form': {
      const { code, message: title, technical } = failure
      return (
        <ErrorNotice error={{ code, title, ...(technical === undefined ? {} : { technical }) }} actions={actions} />
      )
    }
    case 'rate':
      return waitS > 0 ? (
        <p role="status" className="text-small text-danger">
          {errorMessages.rate(waitS)}
        </p>
      ) : null
    case 'cancelled':
    case 'second_factor':
    case 'other_browser':
      return <Notice tone="warning" role="status" title={failure.message} actions={actions} />
    default:
      return null
  }
}
