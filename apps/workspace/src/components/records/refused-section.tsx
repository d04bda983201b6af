import { useRejectedChanges } from '@holdfast/react'
import type { JSX } from 'react'
import { lateContent } from '../late-content.tsx'

const Refused = lateContent(async () => (await import('./refused-changes.tsx')).RefusedChanges)

/** Section of rejected changes; loads nothing while there are none. */
export function RefusedSection({ workspace }: { readonly workspace: string }): JSX.Element | null {
  const { changes } = useRejectedChanges()
  return changes.length === 0 ? null : <Refused.Content changes={changes} workspace={workspace} />
}
