import type { JSX } from 'react'
import { Chip } from '@holdfast/workspace'

/** Whether policies decide who is in a channel. */
export function AccessChip({ isPrivate }: { readonly isPrivate: boolean }): JSX.Element {
  return isPrivate ? <Chip colour="green">private</Chip> : <Chip colour="amber">public</Chip>
}
