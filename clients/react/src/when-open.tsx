import type { DeviceState } from '@holdfast/client'
import type { JSX, ReactNode } from 'react'
import { useDevice } from './use-device.ts'

/**
 * Shows its children while a person's local database is open: offline as well, and long after a token has ended. The hooks that read and write
 * belong below it. Another person is another tree: nothing of the last one's state stays.
 *
 * @param props.otherwise - shown until then: the way to sign in, mostly. A function learns why it is not open.
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
