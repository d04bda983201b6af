import type { JSX, ReactNode } from 'react'
import type { HoldfastClient } from '@holdfast/client'
import { HoldfastContext } from './holdfast-context.ts'

/** Provides the client to the hooks below. Does not own it: its creator disposes of it. */
export function HoldfastProvider(props: {
  readonly client: HoldfastClient
  readonly children: ReactNode
}): JSX.Element {
  return <HoldfastContext value={props.client}>{props.children}</HoldfastContext>
}
