import type { JSX } from 'react'
import { Button, type ButtonProps } from '../../components/button.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { accountMessages as words } from '../../messages/account.ts'
import { useAccount } from './account-context.tsx'

/** A button that requires the server. Offline it stays visible, explains why and does nothing. */
export function ActionButton({ onPress, children, className, ...rest }: ButtonProps): JSX.Element {
  const { blocked } = useAccount()
  const isBlocked = blocked !== undefined
  const label = rest['aria-label']
  return (
    <Button
      {...rest}
      {...(isBlocked ? { 'aria-disabled': true } : {})}
      {...(isBlocked && label !== undefined ? { 'aria-label': words.needsConnection(label) } : {})}
      className={isBlocked ? `opacity-55 ${className ?? ''}` : (className ?? '')}
      {...(rest.type === 'submit' && isBlocked ? { type: 'button' as const } : {})}
      {...(onPress === undefined || isBlocked ? {} : { onPress })}
    >
      {children}
      {isBlocked && label === undefined ? <VisuallyHidden>{words.needsConnection('')}</VisuallyHidden> : null}
    </Button>
  )
}
