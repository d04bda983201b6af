import type { JSX } from 'react'

/** The record beside the grid. */
export function RecordPanel({ recordId }: { readonly recordId: string }): JSX.Element {
  return <aside className="w-[420px] shrink-0 border-l border-border">{recordId}</aside>
}
