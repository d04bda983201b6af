import type { Checklist, Item } from './checklists.ts'
import type { AssetRow, InspectionState, PersonRow, SiteRow } from './rows.ts'
import type { SiteStaff } from './staff.ts'

/** The decisions about an inspection that precede its answers. */
export interface Visit {
  readonly id: string
  readonly state: InspectionState
  /** Days from today. */
  readonly day: number
  /** Of {@link day}, when the work began. */
  readonly startMinute: number
  readonly checklist: Checklist
  readonly site: SiteRow
  readonly asset: AssetRow | undefined
  readonly staff: SiteStaff
  readonly assignee: PersonRow
  readonly weather: string
}

/** An answer that calls for a finding. */
export interface BadAnswer {
  readonly answerId: string
  readonly visit: Visit
  readonly item: Item
}
