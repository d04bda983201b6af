import type { DeviceState } from '@holdfast/client'
import type { JSX, ReactNode } from 'react'
import { useDevice } from './use-device.ts'

/**
 * Shows its children while a user's local database is open, including offline and long after the token has expired. Required above hooks that read and write.
 * Changing the user remounts the tree, so no state is kept.
 *
 * @param props.otherwise - shown until then, usually the sign-in screen. A function receives the reason
 */
export function WhenOpen(props: {
  readonly children: ReactNode
  readonly otherwise?: ReactNode | ((state: Exclude<DeviceState, { kind: 'open' }>) => ReactNode)
}): JSX.Element {
  const state = useDevice()
  const { otherwise, children } = props
  if (state.kind === 'open') return <Keyed key={state.local.userId}>{children}</Keyed>
  return <>{typeof otherwise === 'function' ? otherwise(state) : otherwise}</>
}

function Keyed({ children }: { readonly children: ReactNode }): JSX.Element {
  return <>{children}</>
}
