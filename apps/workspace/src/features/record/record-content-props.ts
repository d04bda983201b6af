import type { ReactNode } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'

export const RECORD_TABS = ['fields', 'checklist', 'links', 'comments', 'history'] as const
export type RecordTab = (typeof RECORD_TABS)[number]

export interface RecordContentProps {
  readonly table: TableInfo
  readonly recordId: string
  readonly workspace: string
  readonly level: 'h1' | 'h2'
  readonly tab: RecordTab
  readonly onTab: (tab: RecordTab) => void
  /** Buttons of the surrounding panel or page: close, next, full page. */
  readonly actions: ReactNode
  readonly onOpenRecord: (table: string, id: string) => void
  /** Called when the user's own action removed the record. */
  readonly onGone: () => void
}
