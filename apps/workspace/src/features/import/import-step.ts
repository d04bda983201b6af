import type { ImportSettings } from './import-settings.ts'
import type { ParsedFile } from './parse-file.ts'
import type { ImportPlan } from './plan-import.ts'

/** The current step of an import. */
export type ImportStep =
  | { readonly kind: 'choosing'; readonly problem?: string | undefined }
  | { readonly kind: 'reading'; readonly rows: number }
  /** `isStopped`: by the user. */
  | ({ readonly kind: 'checking'; readonly done: number; readonly isStopped?: true } & Checked)
  | ({ readonly kind: 'checked'; readonly plan: ImportPlan } & Checked)
  | ({ readonly kind: 'writing'; readonly plan: ImportPlan; readonly done: number } & Checked)
  | ({
      readonly kind: 'written'
      readonly plan: ImportPlan
      readonly done: number
      readonly problem?: string | undefined
    } & Checked)
  | { readonly kind: 'undoing'; readonly done: number; readonly total: number }
  | { readonly kind: 'undone'; readonly kept: number }

interface Checked {
  readonly file: ParsedFile
  readonly settings: ImportSettings
}
