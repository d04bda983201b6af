import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { SavedView } from '../../../lib/views/use-views.ts'
import type { Setting, ViewSettings } from '../../../lib/views/view-settings.ts'

export interface FormViewProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly saved: SavedView
  /** What of the view the form takes. */
  readonly view: {
    readonly settings: ViewSettings
    readonly isChanged: boolean
    set(setting: Setting, value: string | undefined): void
    reset(): void
    openRecord(id: string): void
  }
}
