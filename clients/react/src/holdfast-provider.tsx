import type { JSX, ReactNode } from 'react'
import type { HoldfastClient } from '@holdfast/client'
import { HoldfastContext } from './holdfast-context.ts'

/** Gives the hooks below it their client. The client outlives the tree: whoever made it disposes of it. */
export function HoldfastProvider(props: {
  readonly client: HoldfastClient
  readonly children: ReactNode
}): JSX.Element {
  return <HoldfastContext value={props.client}>{props.children}</HoldfastContext>
}
