import type { JSX } from 'react'
import { Button, type ButtonProps } from '../../components/button.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { peopleMessages as words } from '../../messages/people.ts'

/** A button that requires the server. Offline it stays visible, explains why and does nothing. */
export function OnlineButton({ onPress, children, ...rest }: ButtonProps): JSX.Element {
  const isOnline = useOnline()
  if (isOnline)
    return (
      <Button {...rest} {...(onPress && { onPress })}>
        {children}
      </Button>
    )
  const { 'aria-label': label } = rest
  return (
    <Button
      {...rest}
      aria-disabled
      {...(label !== undefined && { 'aria-label': words.needsConnectionNamed(label) })}
      className="opacity-55"
    >
      {children}
      {label === undefined ? <VisuallyHidden>{words.needsConnectionNamed('')}</VisuallyHidden> : null}
    </Button>
  )
}
