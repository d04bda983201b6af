import type { JSX } from 'react'
import type { ListedFunction } from '@holdfast/protocol'
import { Chip } from '@holdfast/workspace'

/** Whether a function has a process, waits for a call, or cannot be served. */
export function FunctionState({ state }: Pick<ListedFunction, 'state'>): JSX.Element {
  if (state === 'running') return <Chip colour="green">running</Chip>
  if (state === 'idle') return <Chip colour="slate">idle</Chip>
  return <Chip colour="coral">not served</Chip>
}
