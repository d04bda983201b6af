import type { TablePolicy } from './console-tables.ts'

/** Changes of table definitions that the console plans and applies. Types, defaults and conditions are SQL; all other texts are names. */

export interface NewColumn {
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  /** SQL; missing for none. */
  readonly default?: string
}

interface OnTable {
  readonly schema: string
  readonly table: string
}

/** To whom a policy applies, and its conditions. `public` means every role. */
interface PolicyTerms {
  readonly roles: readonly string[]
  readonly using?: string
  readonly check?: string
}

export type TableChange =
  | (OnTable & {
      readonly kind: 'create_table'
      readonly columns: readonly NewColumn[]
      readonly key: readonly string[]
      readonly rls: boolean
      /** Roles of the API that get privileges, before policies narrow them. */
      readonly grants: 'none' | 'authenticated' | 'anon'
    })
  | (OnTable & { readonly kind: 'rename_table'; readonly to: string })
  /** `confirmation` repeats the name. */
  | (OnTable & { readonly kind: 'drop_table'; readonly confirmation: string })
  | (OnTable & { readonly kind: 'set_rls'; readonly rls: boolean })
  | (OnTable & { readonly kind: 'set_grants'; readonly role: string; readonly privileges: readonly TablePrivilege[] })
  | (OnTable & { readonly kind: 'add_column'; readonly column: NewColumn })
  | (OnTable & { readonly kind: 'rename_column'; readonly column: string; readonly to: string })
  | (OnTable & { readonly kind: 'set_type'; readonly column: string; readonly type: string; readonly using?: string })
  /** An empty `default` removes it. */
  | (OnTable & { readonly kind: 'set_default'; readonly column: string; readonly default: string })
  | (OnTable & { readonly kind: 'set_nullable'; readonly column: string; readonly isNullable: boolean })
  | (OnTable & { readonly kind: 'drop_column'; readonly column: string; readonly confirmation: string })
  | (OnTable & { readonly kind: 'add_key'; readonly isPrimary: boolean; readonly columns: readonly string[] })
  | (OnTable & { readonly kind: 'add_check'; readonly condition: string })
  | (OnTable & {
      readonly kind: 'add_foreign_key'
      readonly columns: readonly string[]
      readonly target: OnTable & { readonly columns: readonly string[] }
      readonly onDelete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default'
    })
  | (OnTable & { readonly kind: 'drop_constraint'; readonly name: string; readonly confirmation: string })
  | (OnTable & { readonly kind: 'create_index'; readonly columns: readonly string[]; readonly isUnique: boolean })
  | (OnTable & { readonly kind: 'drop_index'; readonly name: string; readonly confirmation: string })
  | (OnTable &
      PolicyTerms & {
        readonly kind: 'create_policy'
        readonly name: string
        readonly command: TablePolicy['command']
        readonly isPermissive: boolean
      })
  /** A missing expression stays as it is: Postgres cannot remove one. `to` is the new name. */
  | (OnTable & PolicyTerms & { readonly kind: 'alter_policy'; readonly name: string; readonly to: string })
  | (OnTable & { readonly kind: 'drop_policy'; readonly name: string; readonly confirmation: string })
  | { readonly kind: 'create_enum'; readonly schema: string; readonly name: string; readonly labels: readonly string[] }
  | { readonly kind: 'add_label'; readonly schema: string; readonly name: string; readonly label: string }

export const TABLE_PRIVILEGES = ['select', 'insert', 'update', 'delete'] as const

export type TablePrivilege = (typeof TABLE_PRIVILEGES)[number]

/** Where a change is written as a migration. */
export interface MigrationFolderState {
  /** Path of the folder, relative to where the server runs. */
  readonly folder: string
  readonly state: 'writable' | 'missing' | 'read_only' | 'off'
}

/** `POST /tables/changes/plan`. */
export interface TableChangePlan {
  readonly sql: string
  /** Name of the migration. */
  readonly name: string
  /** What to know before. */
  readonly notes: readonly string[]
  readonly migrations: MigrationFolderState
}

/** `POST /tables/changes`. */
export interface AppliedTableChange {
  /** Path of the migration, if one was written. */
  readonly file?: string
}
