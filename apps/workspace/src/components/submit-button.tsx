import type { JSX, ReactNode } from 'react'
import { errorMessages } from '../messages/errors.ts'
import { Button } from './button.tsx'

/** The submit button of an online form. While offline it stays focusable and explains why it is inactive. */
export function SubmitButton({
  children,
  isOnline,
  isPending,
  isDisabled = false,
}: {
  readonly children: ReactNode
  readonly isOnline: boolean
  readonly isPending: boolean
  readonly isDisabled?: boolean
}): JSX.Element {
  return (
    <div className="flex flex-col gap-1.5">
      <Button
        type="submit"
        tone="primary"
        isFullWidth
        isPending={isPending}
        isDisabled={isDisabled}
        {...(isOnline ? {} : { 'aria-disabled': true, 'aria-describedby': 'submit-offline' })}
      >
        {children}
      </Button>
      {isOnline ? null : (
        <p id="submit-offline" className="text-center text-small text-muted">
          {errorMessages.offline}
        </p>
      )}
    </div>
  )
}
