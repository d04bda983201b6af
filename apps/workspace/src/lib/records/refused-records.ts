import type { RejectedChange } from '@holdfast/client'
import { recordKey } from './record-change.ts'

type Operation = RejectedChange['operations'][number]

/** Recognizes the queued operations of a command. */
export function isOfCommand(commandId: string): (operation: Operation) => boolean {
  return ({ metadata }) => {
    if (metadata === undefined || !metadata.includes(commandId)) return false
    return (JSON.parse(metadata) as { readonly command?: unknown }).command === commandId
  }
}

/** Returns a command's records whose changes were rejected, or held by a rejected one. */
export function refusedRecords(rejected: readonly RejectedChange[], commandId: string): ReadonlySet<string> {
  const isOwn = isOfCommand(commandId)
  return new Set(
    rejected
      .flatMap((item) => [...item.operations, ...item.held.flatMap(({ operations }) => operations)])
      .filter(isOwn)
      .map(({ type, id }) => recordKey({ table: type, id })),
  )
}
